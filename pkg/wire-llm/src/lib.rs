//! Model dialects: request to bytes, bytes to a reply. No sockets.
