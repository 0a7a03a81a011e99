//! Drives chats: decides, keeps, acts.
