import { render } from "preact";
import "./tokens.css";
import "./base.css";
import "./shell.css";
import "./talk.css";
import "./runs.css";
import "./views.css";
import { App } from "./app";

const page = document.getElementById("page");
if (page) render(<App />, page);
