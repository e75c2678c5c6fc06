import { render } from "preact";
import "./tokens.css";
import "./base.css";
import "./shell.css";
import "./talk.css";
import "./media.css";
import "./model-panel.css";
import "./runs.css";
import "./wire.css";
import "./replay.css";
import "./views.css";
import { App } from "./app";

const page = document.getElementById("page");
if (page) render(<App />, page);
