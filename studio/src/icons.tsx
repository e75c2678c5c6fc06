import type { ComponentChildren } from "preact";

// Drawn on a grid of 16 with one stroke, so that all have the same weight. Text beside them has their meaning.
function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

const paths = (...lines: string[]) =>
  function Drawn() {
    return <Icon>{lines.map((line) => <path d={line} />)}</Icon>;
  };

export const TalkIcon = paths("M2.5 3.5h11v7.5h-6L4.5 13.5V11h-2z");
export const RunsIcon = paths("M2.5 4h6M5 8h7M8.5 12h5");
export const ToolsIcon = paths("M9.2 6.8 3 13M10.5 2.7a3 3 0 0 0-1.3 4.1 3 3 0 0 0 4.1-1.3L11.5 6 10 4.5z");
export const FindingsIcon = paths("M8 2.5 14 13H2z", "M8 6.5v3M8 11.2v.1");
export const WaitingIcon = paths("M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z", "M8 4.8V8l2.2 1.4");
export const PlusIcon = paths("M8 3v10M3 8h10");
export const SendIcon = paths("M8 13V3.5M4 7.2 8 3.2l4 4");
export const StopIcon = paths("M4.5 4.5h7v7h-7z");
export const CopyIcon = paths("M5.5 5.5h7.5V13H5.5z", "M10.5 3H3v7.5");
export const DeleteIcon = paths("M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5 5 13h6l.5-8.5");
export const CloseIcon = paths("M4 4l8 8M12 4l-8 8");
export const ChevronIcon = paths("M6 3.5 10.5 8 6 12.5");
export const CheckIcon = paths("M3 8.5 6.5 12 13 4.5");
export const BackIcon = paths("M9.5 3.5 5 8l4.5 4.5");
export const AgentIcon = paths("M3.5 5.5h9v7h-9zM8 5.5V3M6 8.5v1.2M10 8.5v1.2");
export const CallIcon = paths("M5 4 2 8l3 4M11 4l3 4-3 4");
export const ReplyIcon = paths("M3 4.5h10M3 8h10M3 11.5h6");
export const PersonIcon = paths("M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.5c.5-2.6 2.4-4 5-4s4.5 1.4 5 4");
export const LightIcon = paths("M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9");
export const DarkIcon = paths("M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5z");
export const SystemIcon = paths("M2.5 3.5h11v7h-11zM6 13h4");
export const ListIcon = paths("M3 4h10M3 8h10M3 12h10");
export const AttachIcon = paths("M11.6 5.6v4.8a3.6 3.6 0 0 1-7.2 0V4.9a2.4 2.4 0 0 1 4.8 0v5.3a1.2 1.2 0 0 1-2.4 0V5.6");
export const ImageIcon = paths("M2.5 3.5h11v9h-11zM2.8 11l3.2-3 2.4 2.2L10.6 8l2.6 2.4M5.6 6.2v.1");
export const FileIcon = paths("M4 2.5h5.2L12 5.3v8.2H4zM9 2.7v2.8h2.8");
export const AudioIcon = paths("M3 6.5v3M5.5 4.5v7M8 2.8v10.4M10.5 5v6M13 6.8v2.4");
export const EditIcon = paths("M3 13l.7-3 6.6-6.6 2.3 2.3L6 12.3zM9 4.7 11.3 7");
export const AgainIcon = paths("M12.8 8a4.8 4.8 0 1 1-1.5-3.5M12.9 2.4v2.8h-2.8");
export const DownloadIcon = paths("M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13h10");
export const SettingsIcon = paths("M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.4v3.2M6 9.4v3.2");
