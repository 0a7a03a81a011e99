//! Model providers over the network, and the scripted one.
