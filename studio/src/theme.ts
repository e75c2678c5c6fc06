import { Store } from "./store";

export type Theme = "system" | "light" | "dark";
const KEY = "agent-dev-theme";
const saved = localStorage.getItem(KEY);

export const theme = new Store<Theme>(saved === "light" || saved === "dark" ? saved : "system");

function show(): void {
  const now = theme.get();
  if (now === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = now;
}

export function setTheme(next: Theme): void {
  theme.set(next);
  if (next === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  show();
}

show();
