//! The sizes of images, from the headers of their files.

/// Returns the width and the height of an image in pixels, from its header.
pub fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let big = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| {
        Some(u32::from(u16::from_be_bytes(
            bytes.get(at..at + 2)?.try_into().ok()?,
        )))
    };
    let little = |at: usize, count: usize| -> Option<u32> {
        let bytes = bytes.get(at..at + count)?.iter().rev();
        Some(bytes.fold(0, |number, byte| number << 8 | u32::from(*byte)))
    };
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some((big(16)?, big(20)?)),
        [b'G', b'I', b'F', b'8', ..] => Some((little(6, 2)?, little(8, 2)?)),
        [b'R', b'I', b'F', b'F', ..] => match bytes.get(12..16)? {
            b"VP8 " => Some((little(26, 2)? & 0x3fff, little(28, 2)? & 0x3fff)),
            b"VP8L" => {
                let bits = little(21, 4)?;
                Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
            }
            b"VP8X" => Some((little(24, 3)? + 1, little(27, 3)? + 1)),
            _ => None,
        },
        [0xff, 0xd8, ..] => {
            // A list of segments, each with a marker and a length. The loop ends at the segment that begins a
            // frame.
            let mut at = 2;
            loop {
                let marker = *bytes.get(at + 1)?;
                if bytes.get(at) != Some(&0xff) {
                    return None;
                }
                match marker {
                    0xff => at += 1,
                    0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                        return Some((short(at + 7)?, short(at + 5)?));
                    }
                    _ => at += 2 + usize::try_from(short(at + 2)?).ok()?,
                }
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_images_have_their_size() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0";
        let gif = b"GIF89a\x80\x02\xe0\x01";
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\x01\xe0\x02\x80";
        let lossy = b"RIFF....WEBPVP8 ....abc\x9d\x01\x2a\x80\x02\xe0\x01";
        let lossless = b"RIFF....WEBPVP8L....\x2f\x7f\xc2\x77\0";
        let extended = b"RIFF....WEBPVP8X....\0\0\0\0\x7f\x02\0\xdf\x01\0";
        for bytes in [&png[..], gif, jpeg, lossy, lossless, extended] {
            assert_eq!(dimensions(bytes), Some((640, 480)), "{bytes:?}");
            for end in 0..bytes.len() {
                // The result for a truncated file is not checked, because only a panic would be a problem.
                let _ = dimensions(&bytes[..end]);
            }
        }
        assert_eq!(dimensions(b"\xff\xd8\xff\xff\xff\xff"), None);
    }
}
