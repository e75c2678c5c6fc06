import { useEffect, useState } from "preact/hooks";

/** The width of the style sheets below which the bar is at the top. */
const NARROW = matchMedia("(max-width: 820px)");

/** Whether the window is a narrow one, such as that of a phone. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const change = () => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", change);
    return () => NARROW.removeEventListener("change", change);
  }, []);
  return narrow;
}
