//! What leaves the program at once, and how: windows over text, pages over lists, the marks around note text, and the
//! secrets that are kept back. The engine knows nothing of any of this.

pub(crate) mod boundary;
pub(crate) mod chunks;
pub(crate) mod pieces;
pub(crate) mod secrets;
pub(crate) mod window;
