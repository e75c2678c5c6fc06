import { useEffect, useState } from "preact/hooks";

/** A value that components follow. */
export class Store<T> {
  #listeners = new Set<() => void>();
  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useState(0);
  const drawn = store.get();
  useEffect(() => {
    const end = store.subscribe(() => redraw((n) => n + 1));
    // Effects run after the browser has painted, and the value may have changed since it was drawn.
    if (!Object.is(drawn, store.get())) redraw((n) => n + 1);
    return end;
  }, [store]);
  return drawn;
}

/** Calls `task` now and then every `ms`, but not while the page is hidden. */
export function usePolling(task: () => void, ms: number, deps: unknown[] = []): void {
  useEffect(() => {
    const tick = () => {
      if (!document.hidden) task();
    };
    tick();
    const timer = setInterval(tick, ms);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [ms, ...deps]);
}
