import { Problem, send } from "./api";
import { block, oneLine } from "./text";
import type { Part } from "./types";

// Media parts of messages: how files become parts, and which parts may be drawn.

const KINDS = ["image", "document", "audio"];

export const isMedia = (part: Part): boolean => KINDS.includes(part.type);

/** Media types that are drawn as images. SVG is safe in an `<img>`, where it runs no script and loads nothing. */
const DRAWN = ["png", "jpeg", "gif", "webp", "avif", "bmp", "svg+xml"].map((type) => `image/${type}`);
const PLAYED = /^audio\/[a-z0-9.+-]+$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function dataUrl({ mediaType, data }: Part): string | null {
  return data && BASE64.test(data) ? `data:${mediaType};base64,${data}` : null;
}

/** The data URL of an image. Null if the type is not in `DRAWN`, because a model may call anything an image. */
export const imageUrl = (part: Part): string | null =>
  part.type === "image" && DRAWN.includes(part.mediaType ?? "") ? dataUrl(part) : null;

export const audioUrl = (part: Part): string | null =>
  part.type === "audio" && PLAYED.test(part.mediaType ?? "") ? dataUrl(part) : null;

export const nameOf = (part: Part): string => (part.name && oneLine(part.name, 80)) || `unnamed ${part.type}`;

/** The kind of a part in words, such as `PNG image`. */
export function kindOf({ type, mediaType = "" }: Part): string {
  const shown = oneLine(mediaType, 60).toLowerCase();
  const [family, subtype = ""] = shown.split("/");
  const word = subtype.replace(/^x-|\+xml$/g, "");
  const short = word.length > 4 ? word.charAt(0).toUpperCase() + word.slice(1) : word.toUpperCase();
  if (shown === "application/pdf") return "PDF";
  if (shown === "text/plain") return "Text";
  if (type === "document") return short || type;
  // A part of the type `image` may have the media type of something else, which is then shown as it is.
  return short === "" ? type : family === type ? `${short} ${type}` : shown;
}

export const bytesIn = (data: string): number => Math.floor((data.length * 3) / 4) - (/=*$/.exec(data)?.[0].length ?? 0);

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes >= 1_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${bytes < 10_000 ? (bytes / 1000).toFixed(1) : Math.round(bytes / 1000)} kB`;
}

export const factsOf = (part: Part): string =>
  part.data ? `${kindOf(part)}, ${sizeText(bytesIn(part.data))}` : kindOf(part);

/** Saves the bytes as a file. The blob has a type that browsers do not display, so that HTML in it never runs. */
export function download(part: Part): void {
  if (!part.data) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([decoded(part.data)], { type: "application/octet-stream" }));
  link.download = block(part.name ?? "").replace(/[/\\]/g, "_") || `${part.type}.${extensionOf(part)}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

const extensionOf = ({ mediaType = "" }: Part): string =>
  (mediaType.split("/")[1] ?? "").replace("svg+xml", "svg").replace(/[^a-z0-9]/g, "") || "bin";

// Reading files

/** The maximum size of a request, in which three bytes of a file are four characters of base64. */
const MOST_BODY = 16 * 1024 * 1024;
const MOST = "12.5 MB";
/** The estimated size of the other members of a part, and of the request around the parts. */
const AROUND = 512;

const costOf = (parts: Part[]): number => parts.reduce((sum, { data = "" }) => sum + data.length + AROUND, AROUND);

/** Returns the reason why a message is too large to be sent, or null. */
export function tooLarge(text: string, parts: Part[]): string | null {
  if (costOf(parts) + new Blob([JSON.stringify(text)]).size <= MOST_BODY) return null;
  return `Files and text are too large together: a message may have ${MOST}. Take a file out, or write less.`;
}

/** The reason why a file cannot be attached, in words for the user. */
export class Refused extends Error {}

/** Reads a file as a part. Throws `Refused` if it does not fit into a message that has the parts `others`. */
export async function readFile(file: File, others: Part[]): Promise<Part> {
  const name = file.name || "pasted file";
  const room = Math.floor(((MOST_BODY - costOf(others) - 2 * AROUND) * 3) / 4);
  if (file.size > room) {
    const left = others.length > 0 ? `, and ${sizeText(Math.max(room, 0))} are left` : "";
    throw new Refused(`“${name}” has ${sizeText(file.size)}. A message may have ${MOST} of files${left}.`);
  }
  if (file.size === 0) throw new Refused(`“${name}” is empty.`);
  const mediaType = await mediaTypeOf(file);
  if (mediaType === null) {
    throw new Refused(`“${name}” is no image, audio, PDF or text, which is all that a message can have.`);
  }
  const type = /^(image|audio)\//.exec(mediaType)?.[1] ?? "document";
  return { type, mediaType, data: await base64Of(file), name };
}

/** Returns the media type by the name of the file, or else `text/plain` if the bytes are UTF-8. Null for other files. */
async function mediaTypeOf(file: File): Promise<string | null> {
  const told = file.type.split(";")[0]!.trim().toLowerCase();
  // No provider accepts SVG as an image, so it is sent as a text.
  if (/^(image|audio)\//.test(told) && told !== "image/svg+xml") return told;
  if (["application/pdf", "application/json", "text/plain", "text/markdown", "text/csv", "text/html"].includes(told)) return told;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? null : "text/plain";
  } catch {
    return null;
  }
}

function base64Of(bytes: Blob): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => failed(new Refused("The file cannot be read."));
    reader.readAsDataURL(bytes);
  });
}

// Bytes of stored media

const known = new Map<string, string>();

/** Keeps the bytes of parts that are sent, because the stored message has only their digest. */
export async function remember(parts: Part[]): Promise<void> {
  for (const { data } of parts) {
    if (!data) continue;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", decoded(data)));
    known.set([...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""), data);
  }
}

/** Loads the bytes of a part that has only their digest. Returns the part unchanged if the server does not have them. */
export async function withBytes(part: Part, conversation: string | null): Promise<Part> {
  const { sha256, ...rest } = part;
  if (part.data || !sha256 || conversation === null) return part;
  let found = known.get(sha256);
  if (found === undefined) {
    try {
      const path = `/studio/conversations/${encodeURIComponent(conversation)}/media/${encodeURIComponent(sha256)}`;
      found = await base64Of(await (await send(path)).blob());
      known.set(sha256, found);
    } catch (error) {
      if (error instanceof Problem) return part;
      throw error;
    }
  }
  // The server rejects a part with both `data` and `sha256`.
  return { ...rest, data: found };
}

// Results of tools

const PART_MEMBERS = ["type", "text", "mediaType", "name", "data", "url", "sha256", "fileId", "provider"];
const SOURCES = ["data", "url", "sha256", "fileId"] as const;

/** Splits a result that is a part or a list of parts into its media and its text. Any other result is returned as `rest`. */
export function mediaOfResult(value: unknown): { media: Part[]; rest: unknown } {
  const parts = Array.isArray(value) ? value : [value];
  if (!parts.every(isPart) || !parts.some(isMedia)) return { media: [], rest: value };
  const texts = parts.filter((part) => part.type === "text").map(({ text = "" }) => text);
  return { media: parts.filter(isMedia), rest: texts.length > 0 ? texts.join("\n\n") : undefined };
}

function isPart(value: unknown): value is Part {
  if (typeof value !== "object" || value === null) return false;
  const part = value as Part;
  if (!Object.keys(part).every((key) => PART_MEMBERS.includes(key))) return false;
  if (part.type === "text") return typeof part.text === "string";
  return isMedia(part) && SOURCES.filter((source) => typeof part[source] === "string").length === 1;
}
