//! What models that see pictures have in common.

mod net;
mod pixels;
mod turn;

pub(crate) use net::{Net, file};
pub(crate) use pixels::{Scale, check, planes, resize};
pub(crate) use turn::{half_turn, quarter_turn};
