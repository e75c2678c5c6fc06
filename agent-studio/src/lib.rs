//! The page of `agent dev`: talk to agents, decide on their calls, and look at their tools, runs and findings in a browser.
//!
//! The page is a client of `agent-web`'s routes. The routes that only developers need are here: the documents with their
//! findings, the runs of the journal with their steps, and calls of single tools. All of them need the token of the
//! [`Studio`], which stands in the fragment of the address that a person opens, so that no server and no other page
//! learns it.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /` | the page, which loads nothing from elsewhere |
//! | `/api/…` | the routes of `agent-web`, for the agents of the last documents without errors |
//! | `GET /studio/state` | the agents, the tools, and the documents with their findings |
//! | `GET /studio/changes?after=VERSION` | the version of the state once it is another one; 204 after 25 seconds |
//! | `POST /studio/tools/{name}/call` | the result of a tool that is called alone |
//! | `GET /studio/runs` | the runs of the journal, the last started first |
//! | `GET /studio/runs/{id}` | the steps of a run |

mod access;
mod documents;
mod page;
mod problem;
mod runs;
mod state;
pub mod steps;
mod studio;
mod tools;

pub use documents::{DocumentAgent, Documents};
pub use studio::Studio;
