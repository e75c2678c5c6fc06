import { useEffect, useState } from "preact/hooks";
import { message } from "./api";

/** A value of the server, or the problem in its place. Both are null while the value is loaded. */
export interface Loaded<T> {
  value: T | null;
  problem: string | null;
}

/** Loads a value, and loads it anew whenever `deps` change. `load` returns null if there is nothing to load. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T> | null, deps: unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: null, problem: null });
  useEffect(() => {
    const stop = new AbortController();
    setLoaded({ value: null, problem: null });
    load(stop.signal)?.then(
      (value) => {
        if (!stop.signal.aborted) setLoaded({ value, problem: null });
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setLoaded({ value: null, problem: message(error) });
      },
    );
    return () => stop.abort();
  }, deps);
  return loaded;
}
