import { CheckIcon } from "./icons";
import { useStore } from "./store";
import { studio } from "./studio";
import { block, oneLine, plural } from "./text";
import type { Document, Finding } from "./types";

export function FindingsView() {
  const state = useStore(studio);
  if (!state) return null;
  const { documents, findings } = state;
  // Those that need a person come first.
  const sorted = [...documents].sort((a, b) => b.errors - a.errors || b.warnings - a.warnings || a.path.localeCompare(b.path));
  const clean = sorted.filter((document) => document.errors + document.warnings === 0);
  return (
    <div class="page narrow findings">
      <h1>Findings</h1>
      {documents.length === 0 && (
        <div class="empty">
          <h2>No documents</h2>
          <p>Add a .gram file to the project. It is checked whenever it is saved.</p>
        </div>
      )}
      {sorted
        .filter((document) => !clean.includes(document))
        .map((document) => (
          <DocumentView
            key={document.path}
            document={document}
            findings={findings.filter((finding) => finding.document === document.path)}
          />
        ))}
      {clean.length > 0 && (
        <section class="clean" aria-labelledby="clean">
          <h2 id="clean">Documents without findings</h2>
          <ul>
            {clean.map(({ path }) => (
              <li key={path}>
                <CheckIcon />
                <code>{oneLine(path, 200)}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function DocumentView({ document, findings }: { document: Document; findings: Finding[] }) {
  const counts = [
    document.errors > 0 && plural(document.errors, "error"),
    document.warnings > 0 && plural(document.warnings, "warning"),
  ].filter(Boolean);
  return (
    <section class="document" aria-label={oneLine(document.path, 200)}>
      <header>
        <h2>{oneLine(document.path, 200)}</h2>
        <span class={`badge ${document.errors > 0 ? "red" : "amber"}`}>{counts.join(", ")}</span>
      </header>
      {document.runs === "last good" && <p class="hint">The last good version is still running.</p>}
      {document.runs === "none" && <p class="hint">Nothing of it runs until its errors are mended.</p>}
      {findings.map((finding) => (
        <FindingView key={`${finding.line}:${finding.column}:${finding.code}`} finding={finding} />
      ))}
    </section>
  );
}

function FindingView({ finding }: { finding: Finding }) {
  return (
    <article class={`finding ${finding.severity}`}>
      <h3>
        <span class="severity">{finding.severity}</span> <WithCode text={oneLine(finding.message, 400)} />
      </h3>
      <p class="where">
        <code>
          {finding.line}:{finding.column}
        </code>
        <code>{oneLine(finding.code, 80)}</code>
      </p>
      {finding.excerpt.length > 0 && (
        <pre class="excerpt" tabIndex={0} role="group" aria-label="Excerpt of the document">
          {finding.excerpt.map((line) => (
            <ExcerptLine key={line.line} line={line} finding={finding} />
          ))}
        </pre>
      )}
      {finding.help && (
        <p class="help">
          <strong>Help</strong> <WithCode text={block(finding.help).slice(0, 2000)} />
        </p>
      )}
    </article>
  );
}

/** Names stand between backticks. */
export function WithCode({ text }: { text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

function ExcerptLine({ line, finding }: { line: { line: number; text: string }; finding: Finding }) {
  // Columns count characters from 1, and the end is the first that is not marked.
  const chars = [...line.text.slice(0, 400)].map((char) => block(char) || "\u00b7");
  const marked = line.line >= finding.line && line.line <= finding.endLine;
  const from = !marked ? chars.length : line.line === finding.line ? finding.column - 1 : 0;
  const to = line.line === finding.endLine ? Math.max(finding.endColumn - 1, from + 1) : chars.length;
  const middle = chars.slice(from, to).join("");
  return (
    <span class={marked ? "excerpt-line marked" : "excerpt-line"}>
      <span class="line-number">{line.line}</span>
      <span>
        {chars.slice(0, from).join("")}
        {/* An end that was expected has no character of its own. */}
        {marked && <mark>{middle || " "}</mark>}
        {marked && chars.slice(to).join("")}
      </span>
    </span>
  );
}
