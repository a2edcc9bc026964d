//! The window of Sinew: see, pose and mend skinned characters.
//!
//! A [`Session`](session::Session) owns a [`Document`](document::Document) and its [`History`](history::History).
//! [`Command`](command::Command)s are the only way to change the document; they are plain data, need no window, and
//! [`autosave`] writes them down as they happen. The [`app`] draws from the document and sends commands.
//!
//! ```
//! use sinew_studio::{command::Command, document::Source, session::{Entry, Session}};
//!
//! let mut session = Session::open(Source::Builtin("figure".into()))?;
//! session.perform(&Command::SelectJoint(Some(3)).into())?;
//! session.perform(&Command::Rotate { joint: 3, rotation: [0.0, 0.0, 0.6, 0.8] }.into())?;
//! assert_eq!(session.history().undo_name(), Some("Rotate"));
//! session.perform(&Entry::Undo)?;
//! assert_eq!(*session.document().pose(), session.document().character().rest_pose());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod app;
pub mod autosave;
pub mod command;
pub mod document;
pub mod export;
pub mod history;
mod platform;
pub mod session;
pub mod work;

#[cfg(target_arch = "wasm32")]
pub use platform::{Database, DesktopRecentFiles, serve};
