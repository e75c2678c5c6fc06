import { Store } from "./store";

/** The address is `#/view/name/part`, so that Back, Forward and links work. */
export interface Route {
  view: string;
  name: string | null;
  /** A view of what is named, such as the replay of a run. */
  part: string;
}

function read(): Route {
  const [, view = "", name = "", part = ""] = location.hash.slice(1).split("/");
  let decoded: string | null = null;
  try {
    decoded = name ? decodeURIComponent(name) : null;
  } catch {
    // A broken address shows the view without a name.
  }
  return { view: view || "talk", name: decoded, part };
}

export const route = new Store<Route>(read());
addEventListener("hashchange", () => route.set(read()));

export const href = (view: string, name?: string | null, part?: string): string =>
  name ? `#/${view}/${encodeURIComponent(name)}${part ? `/${part}` : ""}` : `#/${view}`;

export function go(view: string, name?: string | null): void {
  location.hash = href(view, name);
}
