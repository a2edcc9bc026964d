//! Sinew Studio: view, pose and fix skinned characters.
//!
//! A [`Session`](session::Session) owns a [`Document`](document::Document) and its [`History`](history::History).
//! [`Command`](command::Command)s are the only way to change the document; they are plain data and need no window, and
//! [`autosave`] records them. The [`app`] draws the document and requests commands.
//!
//! ```
//! use sinew_studio::{command::Command, document::DocumentSource, session::{JournalEntry, Session}};
//!
//! let mut session = Session::open(DocumentSource::Builtin("figure".into()))?;
//! session.perform(&Command::SelectJoint(Some(3)).into())?;
//! session.perform(&Command::Rotate { joint: 3, rotation: [0.0, 0.0, 0.6, 0.8] }.into())?;
//! assert_eq!(session.history().undo_name(), Some("Rotate"));
//! session.perform(&JournalEntry::Undo)?;
//! assert_eq!(*session.document().pose(), session.document().character().rest_pose());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod app;
pub mod autosave;
pub mod command;
pub mod document;
pub mod export;
pub mod gesture;
pub mod history;
mod platform;
pub mod session;
pub mod work;

#[cfg(target_arch = "wasm32")]
pub use platform::{Database, RecentFiles, serve_jobs};
