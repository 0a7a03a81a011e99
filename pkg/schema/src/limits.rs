//! The limits of this package, in one place.

/// Bytes that the arguments of one call may have, as JSON text.
///
/// Longer arguments are refused as [`ArgumentsError::TooLarge`](crate::ArgumentsError::TooLarge);
/// nothing of them is read.
pub const ARGUMENTS_BYTES_MAX: usize = 64 * 1024;

/// Levels that arguments may be nested; the object of the arguments itself is level one.
///
/// Deeper arguments are refused as [`ArgumentsError::TooDeep`](crate::ArgumentsError::TooDeep).
pub const ARGUMENTS_DEPTH_MAX: usize = 64;

/// Entries of one list of violations; when there are more, the last entry says how many.
pub const VIOLATIONS_MAX: usize = 20;

/// Bytes of a value that a violation repeats; a longer one is cut at a character and marked with `…`.
pub const GOT_BYTES_MAX: usize = 200;

/// Bytes of the sentence that says what was expected; a longer one is cut and marked with `…`.
pub const EXPECTED_BYTES_MAX: usize = 300;

/// Levels that a schema may be nested, counted in subschemas and through references.
///
/// A deeper schema is refused when it is compiled.
pub const SCHEMA_DEPTH_MAX: usize = 96;

/// Bytes of one compiled pattern of a schema; a bigger one is refused when it is compiled.
pub const PATTERN_BYTES_MAX: usize = 1024 * 1024;

/// JSON values that mending may look at for one call; then it stops and what is left is a violation.
///
/// The largest arguments hold some 32,000 values, so a straight mend stays below it; only a schema
/// whose alternatives contain alternatives comes near.
pub const MEND_VALUES_MAX: usize = 500_000;

/// Characters shown before and after the place where JSON text breaks.
pub const EXCERPT_CHARS: usize = 20;

/// Times that one value may be looked at to list all errors.
///
/// Arguments that are so deep in a schema whose alternatives lead back to itself that it would take
/// more get one violation, at the innermost place that is wrong, without details.
pub const LOOKS_MAX: usize = 1024;
