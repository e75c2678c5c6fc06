import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AudioIcon, CloseIcon, DownloadIcon, FileIcon, ImageIcon } from "./icons";
import { audioUrl, download, factsOf, imageUrl, nameOf, withBytes } from "./media";
import { oneLine } from "./text";
import type { Part } from "./types";

// Images, audio and files in messages, answers and results. Bytes come with the messages or from this server, never from a URL.

/** The name of the conversation from which bytes of stored media are loaded. */
export const BytesOf = createContext<string | null>(null);

export function MediaList({ parts }: { parts: Part[] }) {
  if (parts.length === 0) return null;
  return (
    <ul class={parts.length > 1 ? "media several" : "media"}>
      {parts.map((part, index) => (
        <li key={index}>
          <MediaView part={part} />
        </li>
      ))}
    </ul>
  );
}

/** Returns the part, with its bytes as soon as they are loaded. */
export function useBytes(stored: Part): Part {
  const conversation = useContext(BytesOf);
  const [part, setPart] = useState(stored);
  useEffect(() => {
    let wanted = true;
    setPart(stored);
    // If the server does not answer, the part is shown by its name.
    withBytes(stored, conversation).then((whole) => wanted && setPart(whole), () => {});
    return () => {
      wanted = false;
    };
  }, [stored.data, stored.sha256, conversation]);
  return part;
}

function MediaView({ part: stored }: { part: Part }) {
  const part = useBytes(stored);
  const [broken, setBroken] = useState(false);
  const image = useMemo(() => imageUrl(part), [part]);
  const audio = useMemo(() => audioUrl(part), [part]);
  if (image !== null && !broken) return <ImageView part={part} url={image} onBroken={() => setBroken(true)} />;
  if (audio !== null) return <AudioView part={part} url={audio} />;
  return <FileView part={part} note={broken ? "it cannot be shown" : null} />;
}

function ImageView({ part, url, onBroken }: { part: Part; url: string; onBroken: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="image" aria-label={`Open the image ${nameOf(part)}`} onClick={() => setOpen(true)}>
        <img src={url} alt={nameOf(part)} onError={onBroken} />
      </button>
      {open && <Lightbox part={part} url={url} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A dialog with one image, fitted into the window or in its own size. */
function Lightbox({ part, url, onClose }: { part: Part; url: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [size, setSize] = useState<string | null>(null);
  const [smaller, setSmaller] = useState(false);
  const [actual, setActual] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="lightbox"
      aria-label={nameOf(part)}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close();
      }}
    >
      <header>
        <p>
          <strong>{nameOf(part)}</strong>
          <span class="file-facts">
            {factsOf(part)}
            {size && <>, {size}</>}
          </span>
        </p>
        {smaller && (
          <button type="button" class="quiet small" onClick={() => setActual(!actual)}>
            {actual ? "Fit the window" : "Actual size"}
          </button>
        )}
        <button type="button" class="quiet icon-only" aria-label="Download" title="Download" onClick={() => download(part)}>
          <DownloadIcon />
        </button>
        <button type="button" class="quiet icon-only" aria-label="Close" autofocus onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </header>
      <div class={actual ? "lightbox-image actual" : "lightbox-image"} tabIndex={0} role="group" aria-label="Image">
        <img
          src={url}
          alt={nameOf(part)}
          onLoad={({ currentTarget: image }) => {
            setSize(`${image.naturalWidth}\u00a0×\u00a0${image.naturalHeight}`);
            setSmaller(image.naturalWidth > image.clientWidth);
          }}
        />
      </div>
    </dialog>
  );
}

function AudioView({ part, url }: { part: Part; url: string }) {
  return (
    <figure class="file audio">
      <figcaption>
        <FileLine part={part} note={null} />
      </figcaption>
      <audio controls preload="metadata" src={url} aria-label={nameOf(part)} />
    </figure>
  );
}

function FileView({ part, note }: { part: Part; note: string | null }) {
  return (
    <div class="file">
      <FileLine part={part} note={part.data ? note : whereIs(part)} />
    </div>
  );
}

function FileLine({ part, note }: { part: Part; note: preact.ComponentChildren }) {
  return (
    <>
      <MediaIcon part={part} />
      <span class="file-text">
        <span class="file-name">{nameOf(part)}</span>
        <span class="file-facts">
          {factsOf(part)}
          {note && <>, {note}</>}
        </span>
      </span>
      {part.data && (
        <button
          type="button"
          class="quiet icon-only"
          aria-label={`Download ${nameOf(part)}`}
          title="Download"
          onClick={() => download(part)}
        >
          <DownloadIcon />
        </button>
      )}
    </>
  );
}

/** Describes where the bytes are if they are not here. */
function whereIs({ url, fileId, provider, sha256 }: Part): preact.ComponentChildren {
  if (url) return <Elsewhere address={url} />;
  if (fileId) return `kept by ${oneLine(provider ?? "its provider", 40)}`;
  return sha256 ? "its bytes are not at hand" : "empty";
}

function Elsewhere({ address }: { address: string }) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !["https:", "http:"].includes(url.protocol)) return <>at another place, not loaded</>;
  return (
    <>
      at{" "}
      <a href={url.href} target="_blank" rel="noopener noreferrer" title={url.href}>
        {oneLine(url.host, 60)}
      </a>
      , not loaded
    </>
  );
}

const ICONS: Record<string, () => preact.VNode> = { image: ImageIcon, audio: AudioIcon };

export function MediaIcon({ part }: { part: Part }) {
  const Icon = ICONS[part.type] ?? FileIcon;
  return <Icon />;
}
