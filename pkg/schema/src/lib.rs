//! Tool arguments: parsed exactly, mended losslessly, checked against JSON Schema.
