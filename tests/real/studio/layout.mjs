// Layout and accessibility of each view, in both themes and at two widths: overflow, overlaps, truncated text, target size, focus
// order and visibility, axe-core, and the Escape key.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { install } from "./boxes.mjs";
import { check, none } from "./check.mjs";
import { card, go, newSession, open, picture, shared, startServer } from "./harness.mjs";
import { agentOf, ASKING_CALCULATOR, IMAGE, MODEL_ENV, modelOptions, startModel } from "./model.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const RICH = `## Sums

The result is **4**, see [the docs](https://docs.example.org/sums) and \`2 + 2\`. ${"A sentence longer than a line. ".repeat(8)}

| expression | result | a third column with a long heading |
| --- | ---: | --- |
| 2 + 2 | 4 | ${"long words ".repeat(12)} |

\`\`\`rust
fn main() { println!("${"a long line of code ".repeat(10)}"); }
\`\`\`

1. one
2. two
   - ${"w".repeat(120)}

> A quotation.`;

/** An agent with parameters, for which Talk shows a form. */
const CLERK = `[clerk:Agent {
  description: "Sorts letters, and is called as a function with arguments",
  instruction: "Sort {{subject}}.",
  model: "Mock/small"
} |
  (subject::Text {description: "What the letter is about"})
    ==>(urgent::Bool {default: false, description: "Whether it is urgent"})
    ==>(copies::Int {default: 1})
    ==>(::Text)
]
`;

/** A server with content for every view: versions, images, attachments, a waiting call, a failed run, retries and findings. */
const full = shared(async () => {
  const model = await startModel();
  let busy = 1;
  model.when(/rich/, async (answer, { isAfterCalls }) => {
    if (busy-- > 0) return answer.fail(503, "try later");
    if (!isAfterCalls) {
      answer.thought("I have to compute. ".repeat(20));
      await answer.text("I look at the clock.");
      answer.call("currentTime", {});
      answer.call("currentTime", { wrong: "w".repeat(200) });
      return;
    }
    await answer.text(RICH);
    answer.image(`data:image/png;base64,${IMAGE}`);
  });
  model.when(/ask/, async (answer, { isAfterCalls }) => {
    if (isAfterCalls) await answer.text("Done.");
    else answer.call("calculator", { expression: "6 * 7" });
  });
  model.when(/fail/, (answer) => answer.fail(400, "this model is out of order"));
  const document = `${agentOf(`${ASKING_CALCULATOR}, currentTime, readFile`)}\n${CLERK}`;
  const server = await startServer({
    documents: { "agents/helper.gram": document },
    files: ["agents"],
    options: [...modelOptions(model), "--allow-read", "agents"],
    env: MODEL_ENV,
  });
  const run = async (message, conversation) => {
    await (await server.ask("/api/helper/runs", { body: { message, conversation } })).text();
    const runs = await server.json("/studio/runs");
    return runs.find((run) => run.conversation === conversation).run;
  };
  const rich = await run("Be rich", "be-rich-abc123");
  // A second version of the first message.
  const { name } = await server.json("/studio/conversations/be-rich-abc123/branches", { body: { messages: 0 } });
  await run("Be rich again", name);
  await run("Please ask", "please-ask-abc123");
  const failed = await run("Now fail", "now-fail-abc123");
  await run("A long question. ".repeat(20), "a-very-long-question-with-many-words-a-very-long-question-abc123");
  await writeFile(server.file("agents/broken.gram"), agentOf("curentTime, readFil").replace("helper", "broken"));
  return { server, rich, failed };
});

/** The views, each with the elements that a scene opens. `{rich}` and `{failed}` stand for the ids of two runs. */
const SCENES = {
  talk: { view: "talk" },
  conversation: {
    view: "talk/be-rich-abc123",
    ready: (page) => page.getByRole("group", { name: "Other versions of this message" }).first().waitFor(),
    async prepare(page) {
      await page.evaluate(() => document.querySelectorAll("#main details").forEach((details) => (details.open = true)));
    },
  },
  edit: {
    view: "talk/be-rich-abc123",
    async prepare(page) {
      await page.getByRole("button", { name: "Edit" }).first().click();
      await page.getByRole("textbox", { name: "Edit your message" }).waitFor();
    },
  },
  image: {
    view: "talk/be-rich-abc123",
    async prepare(page) {
      await page.getByRole("button", { name: /^Open the image/ }).first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  delete: {
    view: "talk/be-rich-abc123",
    async prepare(page, isNarrow) {
      if (isNarrow) await page.getByRole("button", { name: "Conversations" }).click();
      await page.getByRole("button", { name: /^Delete/ }).first().click();
      await page.getByRole("button", { name: "Keep" }).waitFor();
    },
  },
  files: {
    view: "talk",
    async prepare(page) {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Attach files" }).click();
      const files = ["a.png", "a long name of a file that nobody can remember, of the third quarter.txt", "c.txt"];
      await (await chooser).setFiles(files.map((name) => ({
        name,
        mimeType: name.endsWith("png") ? "image/png" : "text/plain",
        buffer: name.endsWith("png") ? Buffer.from(IMAGE, "base64") : Buffer.from("text"),
      })));
      await page.getByRole("list", { name: "Attached files" }).getByRole("listitem").nth(2).waitFor();
    },
  },
  arguments: {
    view: "talk",
    async prepare(page) {
      await page.getByRole("combobox", { name: "Agent" }).selectOption("clerk");
      await page.getByRole("form", { name: "Arguments of clerk" }).waitFor();
    },
  },
  model: {
    view: "talk",
    async prepare(page) {
      await page.getByRole("button", { name: "Model and settings" }).click();
      const model = page.getByRole("combobox", { name: "Model" });
      await model.fill("OpenAI/gpt-6-luna");
      await page.getByRole("heading", { name: "Findings" }).waitFor();
      await page.locator(".model-findings[aria-busy=false]").waitFor();
      await model.press("Escape");
    },
  },
  decide: { view: "talk/please-ask-abc123", ready: (page) => card(page).waitFor() },
  deny: {
    view: "talk/please-ask-abc123",
    async prepare(page) {
      await card(page).getByRole("button", { name: "Deny" }).click();
    },
  },
  waiting: { view: "waiting", ready: (page) => card(page).waitFor() },
  runs: { view: "runs", ready: (page) => page.getByRole("link", { name: /helper/ }).first().waitFor() },
  run: { view: "runs/{rich}", ready: (page) => page.locator("[data-row]").first().waitFor() },
  step: { view: "runs/{rich}", prepare: (page) => openStep(page) },
  request: {
    view: "runs/{rich}",
    async prepare(page) {
      await openStep(page);
      await page.getByRole("button", { name: "Request", exact: true }).click();
      await page.getByRole("region", { name: "Request" }).waitFor();
    },
  },
  answer: {
    view: "runs/{rich}",
    async prepare(page) {
      await openStep(page);
      await page.getByRole("button", { name: "Answer", exact: true }).click();
      await page.getByRole("region", { name: "Answer" }).waitFor();
    },
  },
  failed: { view: "runs/{failed}", ready: (page) => page.locator("[data-row]").first().waitFor() },
  replay: {
    view: "runs/{rich}/replay",
    ready: (page) => page.locator(".verdict").waitFor(),
    async prepare(page) {
      await page.getByRole("button", { name: "Ask the models anew" }).click();
      await page.getByRole("button", { name: "Ask again" }).waitFor();
    },
  },
  tools: { view: "tools" },
  tool: {
    view: "tools/calculator",
    async prepare(page) {
      await page.getByRole("textbox", { name: "expression" }).fill("2 +");
      await page.getByRole("button", { name: "Call", exact: true }).click();
      await page.getByRole("heading", { name: /^Error/ }).waitFor();
      await page.evaluate(() => document.querySelectorAll("#main details").forEach((details) => (details.open = true)));
    },
  },
  findings: { view: "findings", ready: (page) => page.locator("mark").first().waitFor() },
};

async function openStep(page) {
  await page.locator("[data-row]").nth(1).click();
  await page.getByRole("complementary", { name: "Step" }).waitFor();
}

/** Opens a scene. The page is reloaded, so that no scene depends on the one before. */
async function show(page, title, isNarrow) {
  const { rich, failed } = await full();
  const { view, ready, prepare } = SCENES[title];
  await go(page, view.replace("{rich}", rich).replace("{failed}", failed));
  await page.reload();
  await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  // The waiting calls and the list of conversations are loaded after the view.
  await page.locator(".rail-waiting").waitFor({ state: "attached" });
  if (view.startsWith("talk")) await page.locator(".conversation").first().waitFor({ state: "attached" });
  if (ready) await ready(page);
  if (prepare) await prepare(page, isNarrow);
  await page.evaluate(install);
}

const WIDTHS = [[1440, 900], [390, 844]];

for (const [width, height] of WIDTHS) {
  check(`every view in both themes, ${width} px wide`, async () => {
    const { server } = await full();
    const faults = [];
    const look = async (colorScheme) => {
      const session = await newSession(server, { colorScheme, viewport: { width, height }, reducedMotion: "reduce" });
      const page = await open(server, "", { session });
      for (const title of Object.keys(SCENES)) {
        const fault = (text) => faults.push(`${title}, ${colorScheme}: ${text}`);
        await show(page, title, width < 820);
        await picture(page, `layout-${title}-${colorScheme}-${width}`);
        await checkWithAxe(page, fault);
        // Geometry and focus order do not depend on the theme.
        if (colorScheme === "dark") continue;
        await checkBoxes(page, width, fault);
        await checkFocus(page, fault);
      }
    };
    await Promise.all([look("light"), look("dark")]);
    none(faults);
  });
}

async function checkWithAxe(page, fault) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((values) => window.axe.run({ runOnly: { type: "tag", values } }), RULES);
  for (const { id, nodes } of violations) fault(`${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 150)).join(" ")}`);
}

async function checkBoxes(page, width, fault) {
  const found = await page.evaluate(() => {
    const { overlaps, cutTexts, small } = window.boxes;
    return { overlaps: overlaps(), cut: cutTexts(), small: small(), width: document.documentElement.scrollWidth };
  });
  if (found.width > width) fault(`${found.width} px wide`);
  for (const pair of found.overlaps) fault(`${pair} overlap`);
  for (const text of found.cut) fault(`${text} is cut off`);
  for (const control of found.small) fault(`too small to hit: ${control}`);
}

/** Presses Tab until the focus is back at the start, and checks each stop. */
async function checkFocus(page, fault) {
  await page.evaluate(() => window.boxes.begin());
  for (let stops = 0, isNew = true; isNew && stops < 400; stops++) {
    await page.keyboard.press("Tab");
    isNew = await page.evaluate(() => window.boxes.note());
  }
  for (const text of await page.evaluate(() => window.boxes.focusFaults())) fault(text);
}

check("the skip link leads past the views", async () => {
  const { server } = await full();
  const page = await open(server, "runs");
  await page.getByRole("link", { name: /helper/ }).first().waitFor();
  await page.reload();
  await page.getByRole("link", { name: /helper/ }).first().waitFor();
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to the content" });
  await skip.and(page.locator(":focus")).waitFor();
  const box = await skip.boundingBox();
  assert.ok(box.x >= 0 && box.y >= 0 && box.width > 20, "the link can be seen while it has the focus");
  const before = page.url();
  await page.keyboard.press("Enter");
  await page.locator("#main:focus").waitFor();
  assert.equal(page.url(), before);
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.getElementById("main").contains(document.activeElement)));
});

check("Escape closes what is open, and the focus goes back to where it came from", async () => {
  const { server } = await full();
  const page = await open(server, "talk/be-rich-abc123");
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText);

  const image = page.getByRole("button", { name: /^Open the image/ }).first();
  await image.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.match(await focused(), /^Open the image/);

  await page.getByRole("button", { name: "Edit" }).first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Edit your message" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Edit your message" }).waitFor({ state: "detached" });
  assert.equal((await focused()).trim(), "Edit");

  await page.getByRole("button", { name: "Model and settings" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("complementary", { name: "Model and settings" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("complementary", { name: "Model and settings" }).waitFor({ state: "detached" });
  assert.equal(await focused(), "Model and settings");

  const { rich } = await full();
  await go(page, `runs/${rich}`);
  const row = page.locator("[data-row]").nth(1);
  await row.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("complementary", { name: "Step" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("complementary", { name: "Step" }).waitFor({ state: "detached" });
  await row.and(page.locator(":focus")).waitFor();
});

check("Escape keeps a conversation that was about to be deleted", async () => {
  const { server } = await full();
  const page = await open(server, "talk/be-rich-abc123");
  const remove = page.getByRole("button", { name: /^Delete/ }).first();
  const label = await remove.getAttribute("aria-label");
  await remove.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Keep" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keep" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: label }).and(page.locator(":focus")).waitFor();
});

check("Escape closes the list of conversations on a phone", async () => {
  const { server } = await full();
  const page = await open(server, "talk", { viewport: { width: 390, height: 844 } });
  const button = page.getByRole("button", { name: "Conversations" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "New conversation" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "New conversation" }).waitFor({ state: "hidden" });
  await button.and(page.locator(":focus")).waitFor();
});
