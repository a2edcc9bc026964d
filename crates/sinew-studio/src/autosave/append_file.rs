//! A file of records that a failed write leaves as it was.

use super::JournalStorage;
use std::{
    fmt,
    fs::File,
    io::{self, Seek as _, SeekFrom, Write as _},
};

/// The operations of a file that a journal needs. Tests replace them by ones that fail.
pub trait JournalFile: fmt::Debug {
    /// Writes the first bytes of `bytes` to the end of the file; returns how many.
    ///
    /// # Errors
    /// If nothing was written.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Cuts the file to `length` bytes; the next write goes there.
    ///
    /// # Errors
    /// If the file keeps its length.
    fn truncate(&mut self, length: u64) -> io::Result<()>;

    /// Returns once everything written survives a power cut.
    ///
    /// # Errors
    /// If that is not certain.
    fn sync(&mut self) -> io::Result<()>;
}

impl JournalFile for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(self, bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(drop)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.sync_data()
    }
}

/// Appends records to a file. After a failed or partial write the file is cut to the last good record, so that the same
/// records can be written again.
#[derive(Debug)]
pub struct AppendFile<F> {
    file: F,
    /// The length up to the last good record.
    good_length: u64,
    /// True if the file may be longer than that.
    is_torn: bool,
}

impl<F: JournalFile> AppendFile<F> {
    /// Appends to a file that is empty.
    pub fn new(file: F) -> Self {
        Self { file, good_length: 0, is_torn: false }
    }

    fn write_synced(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.file.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.file.sync()
    }

    fn restore(&mut self) -> io::Result<()> {
        self.file.truncate(self.good_length)?;
        self.is_torn = false;
        Ok(())
    }
}

impl<F: JournalFile> JournalStorage for AppendFile<F> {
    fn append(&mut self, records: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.restore()?;
        }
        self.is_torn = true;
        let written = self.write_synced(records);
        match written {
            Ok(()) => {
                self.is_torn = false;
                self.good_length += records.len() as u64;
                Ok(())
            }
            Err(error) => {
                // If this fails too, the next call tries again before it writes.
                let _ = self.restore();
                Err(error)
            }
        }
    }

    fn clear(&mut self) {
        // A file that keeps its records is offered again.
        let _ = self.file.truncate(0);
    }
}
