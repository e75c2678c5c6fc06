//! The time in which a client reads an answer.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// The number of bytes of an answer that a client must read within the time.
const BYTES: usize = 1 << 20;

/// The connection of a client. Writing fails if the client reads nothing, or too slowly, so that its
/// connection and the memory of its answer become free for others.
pub(super) struct ReadInTime<S> {
    stream: S,
    time: Duration,
    /// The end of the time, if the client has not read what was sent.
    ends: Option<Pin<Box<Sleep>>>,
    /// The bytes that were written in the time.
    written: usize,
}

impl<S> ReadInTime<S> {
    /// Bounds the time in which a client reads each MiB, and the rest of an answer.
    pub(super) fn new(stream: S, time: Duration) -> Self {
        Self {
            stream,
            time,
            ends: None,
            written: 0,
        }
    }

    fn begin_anew(&mut self) {
        self.ends = None;
        self.written = 0;
    }

    /// Counts the bytes that were written. If nothing can be written, checks the time.
    fn checked(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Pending => {
                let time = self.time;
                let ends = self.ends.get_or_insert_with(|| Box::pin(sleep(time)));
                ready!(ends.as_mut().poll(context));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Ready(Ok(bytes)) => {
                self.written += bytes;
                if self.written >= BYTES {
                    self.begin_anew();
                }
                Poll::Ready(Ok(bytes))
            }
            failed => failed,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReadInTime<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReadInTime<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.checked(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.checked(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Flushes the stream. The time begins anew, because hyper flushes when everything available was written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.begin_anew();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, ReadInTime};
    use std::io::ErrorKind;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    static PART: [u8; BYTES / 2] = [0; BYTES / 2];

    #[tokio::test]
    async fn a_client_that_reads_nothing_is_an_error() {
        let (ours, theirs) = duplex(1000);
        let mut stream = ReadInTime::new(ours, Duration::from_millis(1));
        let written = stream.write_all(&[0; 2000]).await;
        assert_eq!(
            written.expect_err("nobody reads").kind(),
            ErrorKind::TimedOut
        );
        drop(theirs);
    }

    #[tokio::test]
    async fn the_time_is_that_of_a_part_of_an_answer() {
        let (ours, mut theirs) = duplex(PART.len());
        let mut stream = ReadInTime::new(ours, Duration::from_secs(3600));
        stream.write_all(&PART).await.expect("there is room");
        assert!(stream.ends.is_none());
        write_when_read(&mut stream, &mut theirs).await;
        // The write waited for the client, which has then read as much as it must.
        assert!(stream.ends.is_none() && stream.written == 0);
        write_when_read(&mut stream, &mut theirs).await;
        assert!(stream.ends.is_some());
        // All was written.
        stream.flush().await.expect("a pipe");
        assert!(stream.ends.is_none() && stream.written == 0);
    }

    /// Writes a part, for which there is room once the client has read the one before.
    async fn write_when_read(stream: &mut ReadInTime<DuplexStream>, client: &mut DuplexStream) {
        let mut writes = std::pin::pin!(stream.write_all(&PART));
        tokio::select! {
            biased;
            written = &mut writes => panic!("there is no room: {written:?}"),
            () = std::future::ready(()) => {}
        }
        let mut read = vec![0; PART.len()];
        client
            .read_exact(&mut read)
            .await
            .expect("what was written");
        writes.await.expect("there is room");
    }
}
