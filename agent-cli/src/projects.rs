//! The tools and providers that documents may name, by the project files of the documents.

use crate::outcome::CommandError;
use agent_project::known_tools::KnownTools;
use agent_project::loaded_project::{ByProject, ProjectError, folder_of, load_found};
use agent_project::report::Report;
use agent_spec::project_file::Found;
use std::path::Path;

/// The tools and providers that documents may name. Each project file is read once.
pub(crate) struct Projects {
    /// The tools and providers without a project: built-in tools, `--tools` and `--provider`.
    base: KnownTools,
    /// The indices in `known` by project, or the reason why a project cannot be read.
    projects: ByProject<Result<usize, CommandError>>,
    /// The tools and providers of each project; `None` if the project file has errors.
    known: Vec<Option<KnownTools>>,
    /// The reports about project files and their tool files with errors.
    reports: Vec<Report>,
}

impl Projects {
    pub(crate) fn new(base: KnownTools) -> Self {
        Self {
            base,
            projects: ByProject::default(),
            known: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// Returns the tools and providers that a document may name; `None` if its project file has errors.
    ///
    /// # Errors
    /// Returns an error if the project file or one of its tool files cannot be read, or if two of them
    /// define one tool differently.
    pub(crate) fn known_for(
        &mut self,
        document: &Path,
    ) -> Result<Option<&KnownTools>, CommandError> {
        let mut projects = std::mem::take(&mut self.projects);
        let index = projects.of(folder_of(document), |found| {
            let known = self.read(found)?;
            self.known.push(known);
            Ok(self.known.len() - 1)
        });
        self.projects = projects;
        Ok(self.known[index?].as_ref())
    }

    fn read(&mut self, found: Found) -> Result<Option<KnownTools>, CommandError> {
        match load_found(found) {
            Ok(None) => Ok(Some(self.base.clone())),
            Ok(Some(project)) => {
                let (known, reports) = self.base.with_project(&project)?;
                reports.into_iter().for_each(|report| self.add(report));
                Ok(Some(known))
            }
            Err(ProjectError::Findings(report)) => {
                self.add(*report);
                Ok(None)
            }
            Err(error) => Err(unreadable(error)),
        }
    }

    /// Adds a report, unless another project with the same tool file has added it.
    fn add(&mut self, report: Report) {
        let mut reports = self.reports.iter();
        if reports.all(|other| other.source.name != report.source.name) {
            self.reports.push(report);
        }
    }

    /// Returns the reports about project files and their tool files with errors.
    pub(crate) fn into_reports(self) -> Vec<Report> {
        self.reports
    }
}

/// Returns the error for a project file that cannot be read or has errors. If the file has errors, the
/// message is about the first error.
pub(crate) fn unreadable(error: ProjectError) -> CommandError {
    match error {
        ProjectError::Read(message) => CommandError::new(message),
        ProjectError::Findings(report) => CommandError::new(match report.first_error() {
            Some((position, found)) => format!(
                "the project file has errors, {position}: {}",
                found.message()
            ),
            None => "the project file has errors".to_owned(),
        }),
    }
}
