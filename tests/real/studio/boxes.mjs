// Layout rules, evaluated in the page: overlapping controls, truncated text, target size, and the focus order.

/** Installs `window.boxes`. */
export function install() {
  const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary, audio[controls]";
  const INTERACTIVE = `${CONTROLS}, [tabindex]:not([tabindex='-1'])`;
  const dialog = () => document.querySelector("dialog:modal");
  const named = (element) => {
    const label = element.getAttribute("aria-label") ?? element.innerText?.trim().split("\n")[0] ?? "";
    const classes = [...element.classList].map((name) => `.${name}`).join("");
    return `${element.localName}${classes} “${label.slice(0, 40)}”`;
  };
  const isShown = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return false;
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0;
  };
  const isHiddenVisually = (element) => element.closest(".visually-hidden, .skip") !== null;
  /** Returns the tab stops: controls, and scroll containers with a tabindex. */
  const stops = () => {
    const found = [...(dialog() ?? document).querySelectorAll(INTERACTIVE)].filter((element) => !element.closest("[inert]"));
    return found.filter((element) => isShown(element) && !isHiddenVisually(element));
  };
  /** Returns the controls that a pointer can activate. */
  const controls = () => stops().filter((element) => element.matches(CONTROLS));
  const clips = (style) => style.overflowX !== "visible" || style.overflowY !== "visible";

  /** Clips a rectangle to the window and to each ancestor that clips. Returns null if nothing remains visible. */
  const seenPart = (element, { left, top, right, bottom }) => {
    const seen = { left, top, right, bottom };
    const clipTo = (box) => {
      seen.left = Math.max(seen.left, box.left);
      seen.top = Math.max(seen.top, box.top);
      seen.right = Math.min(seen.right, box.right);
      seen.bottom = Math.min(seen.bottom, box.bottom);
    };
    clipTo({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });
    for (let outer = element.parentElement; outer; outer = outer.parentElement) {
      if (clips(getComputedStyle(outer))) clipTo(outer.getBoundingClientRect());
      if (outer === dialog()) break;
    }
    return seen.right > seen.left && seen.bottom > seen.top ? seen : null;
  };

  /** Whether hit testing at five points of a rectangle finds the element. */
  const isInFront = (element, { left, top, right, bottom }) => {
    const points = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9]];
    return points.some(([x, y]) => {
      const hit = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
      return hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest("label")?.control === element);
    });
  };

  /** Returns pairs of controls whose visible boxes overlap. */
  const overlaps = () => {
    const found = [];
    const seen = controls().map((element) => ({
      element,
      boxes: [...element.getClientRects()].map((box) => seenPart(element, box)).filter((box) => box !== null),
    }));
    // A control that is wholly covered, such as one below an open drawer, cannot be clicked by mistake.
    const all = seen.filter(({ element, boxes }) => boxes.some((box) => isInFront(element, box)));
    for (const [index, one] of all.entries()) {
      for (const other of all.slice(index + 1)) {
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
        const lie = one.boxes.some((a) => other.boxes.some((b) =>
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1));
        if (lie) found.push(`${named(one.element)} and ${named(other.element)}`);
      }
    }
    return found;
  };

  /** Returns texts that a box with hidden overflow truncates without an ellipsis. */
  const cutTexts = () => {
    const found = new Set();
    const root = dialog() ?? document.body;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (node.data.trim() === "" || !isShown(parent) || isHiddenVisually(parent)) continue;
      if (parent.closest("option, textarea, [aria-hidden=true]")) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
      if (boxes.length === 0) continue;
      const right = Math.max(...boxes.map((box) => box.right));
      const bottom = Math.max(...boxes.map((box) => box.bottom));
      const left = Math.min(...boxes.map((box) => box.left));
      let ellipsis = false;
      for (let outer = parent; outer; outer = outer.parentElement) {
        const style = getComputedStyle(outer);
        ellipsis ||= style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
        const box = outer.getBoundingClientRect();
        const hides = (overflow) => overflow === "hidden" || overflow === "clip";
        // Text in a scroll container can be scrolled into view.
        if ([style.overflowX, style.overflowY].some((overflow) => overflow === "auto" || overflow === "scroll")) break;
        if (ellipsis) break;
        const isCutBeside = hides(style.overflowX) && (right > box.right + 1 || left < box.left - 1);
        const isCutBelow = hides(style.overflowY) && bottom > box.bottom + 2;
        if (isCutBeside || isCutBelow) found.add(`“${node.data.trim().slice(0, 60)}” in ${named(outer)}`);
      }
    }
    return [...found];
  };

  /**
   * Returns the controls that fail WCAG 2.5.8: a target smaller than 24 px needs free space around it, unless it is a link in a
   * sentence.
   */
  const small = () => {
    const least = 24 - 0.5;
    const isInSentence = (element) => {
      if (element.localName !== "a" || getComputedStyle(element).display !== "inline") return false;
      return element.parentElement.textContent.trim().length > element.textContent.trim().length;
    };
    const targets = controls().map((element) => {
      const box = element.getBoundingClientRect();
      const center = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
      return { element, box, center, isSmall: box.width < least || box.height < least };
    });
    // A circle of 24 px diameter around a small target must not intersect another target, or the circle of another small target.
    const touches = ({ element, center }, other) => {
      if (element === other.element || element.contains(other.element) || other.element.contains(element)) return false;
      const distance = (x, y) => Math.hypot(x, y);
      if (other.isSmall && distance(center.x - other.center.x, center.y - other.center.y) < 24 - 0.5) return true;
      const x = Math.max(other.box.left - center.x, 0, center.x - other.box.right);
      const y = Math.max(other.box.top - center.y, 0, center.y - other.box.bottom);
      return distance(x, y) < 12 - 0.5;
    };
    const found = targets.filter((target) => target.isSmall && !isInSentence(target.element));
    return found.flatMap((target) => {
      const other = targets.find((other) => touches(target, other));
      const { width, height } = target.box;
      return other ? [`${named(target.element)}, ${width.toFixed(1)} × ${height.toFixed(1)}, beside ${named(other.element)}`] : [];
    });
  };

  // Focus

  const LOOKS = ["outlineStyle", "outlineWidth", "outlineColor", "boxShadow", "borderTopColor", "backgroundColor"];
  const looksOf = (element) => {
    const looks = [];
    for (let at = element, up = 0; at && up < 4; at = at.parentElement, up++) {
      const style = getComputedStyle(at);
      looks.push(LOOKS.map((name) => (name.startsWith("outline") && style.outlineStyle === "none" ? "" : style[name])).join(" "));
    }
    return looks.join("; ");
  };
  let visited = [];

  /** Moves the start of the sequential focus navigation to the top of the page. */
  const begin = () => {
    visited = [];
    document.activeElement?.blur();
    const top = document.createElement("span");
    top.tabIndex = -1;
    (dialog() ?? document.body).prepend(top);
    top.focus();
    top.remove();
  };

  /** Records the focused element. Returns false if it is the body or was recorded before. */
  const note = () => {
    const element = document.activeElement;
    if (!element || element === document.body || visited.some((entry) => entry.element === element)) return false;
    const seen = seenPart(element, element.getBoundingClientRect());
    const isSeen = isHiddenVisually(element) || (seen !== null && isInFront(element, seen));
    visited.push({ element, focused: looksOf(element), isSeen });
    return true;
  };

  /** Returns the boxes of the two ancestors at which the paths to two elements diverge. These boxes do not depend on scrolling. */
  const partsOf = (one, other) => {
    const chain = (element) => {
      const found = [];
      for (let at = element; at; at = at.parentElement) found.unshift(at);
      return found.filter((at) => getComputedStyle(at).display !== "contents");
    };
    const [a, b] = [chain(one), chain(other)];
    let level = 0;
    while (a[level] === b[level]) level++;
    return [a[level], b[level]].map((part) => part?.getBoundingClientRect());
  };

  const focusFaults = () => {
    document.activeElement?.blur();
    const faults = [];
    const still = visited.filter(({ element }) => element.isConnected);
    for (const { element, focused, isSeen } of still) {
      if (focused === looksOf(element)) faults.push(`the focus of ${named(element)} cannot be seen`);
      if (!isSeen) faults.push(`${named(element)} has the focus out of sight`);
    }
    const reached = new Set(still.map(({ element }) => element));
    // Options of a radio group and rows of a list with roving tabindex are one tab stop.
    const isStop = (element) => element.tabIndex >= 0 && !element.disabled && element.type !== "radio";
    for (const element of stops().filter(isStop)) {
      if (!reached.has(element)) faults.push(`Tab does not reach ${named(element)}`);
    }
    for (const [index, { element }] of still.entries()) {
      const before = still[index - 1]?.element;
      if (!before || isHiddenVisually(before)) continue;
      const [a, b] = partsOf(before, element);
      if (!a || !b) continue;
      const isAbove = b.bottom <= a.top + 1 && b.left < a.right - 1;
      const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const isLeft = shared > Math.min(a.height, b.height) / 2 && b.right <= a.left + 1;
      if (isAbove || isLeft) faults.push(`the focus goes ${isAbove ? "up" : "left"} from ${named(before)} to ${named(element)}`);
    }
    return faults;
  };

  window.boxes = { overlaps, cutTexts, small, begin, note, focusFaults };
}
