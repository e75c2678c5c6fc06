/** Saves a text as a download. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text]));
  const link = document.createElement("a");
  link.href = address;
  // A name comes from an id, and must not lead into another folder.
  link.download = name.replace(/[^\w.-]+/g, "-");
  link.click();
  // The browser may begin to read only after this function has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
