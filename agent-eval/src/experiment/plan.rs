//! Which runs an experiment has, and in which order they begin.

use super::Experiment;
use super::random::Random;
use agent_runtime::Error;

/// The longest name of an arm: two of them and their figures stand on one line of the table.
const LONGEST_NAME: usize = 32;

/// One run that is to be made: the arm and the input by their places, and which trial it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Job {
    pub(super) trial: usize,
    pub(super) input: usize,
    pub(super) arm: usize,
}

/// Whether the experiment can be run.
pub(super) fn check(experiment: &Experiment) -> Result<(), Error> {
    let missing = |what: &str, how: &str| {
        let text = format!("the experiment has {what}; {how}");
        Err(Error::validation(text))
    };
    if experiment.arms.is_empty() {
        return missing("no arms", "add at least one with `arm`");
    }
    if experiment.inputs.is_empty() {
        return missing("no inputs", "add some with `inputs`");
    }
    let blank = experiment
        .inputs
        .iter()
        .position(|input| input.trim().is_empty());
    if let Some(at) = blank {
        return missing(
            &format!("nothing but blanks in input {}", at + 1),
            "each input is what a user says",
        );
    }
    if experiment.trials == 0 {
        return missing("0 trials", "each arm must get each input at least once");
    }
    if experiment.concurrency == 0 {
        return missing(
            "a concurrency of 0",
            "at least one run must go on at a time",
        );
    }
    if planned(experiment).is_none() {
        return missing("more runs than can be counted", "give `trials` less");
    }
    for (at, arm) in experiment.arms.iter().enumerate() {
        let name = &arm.name;
        if name.trim().is_empty() {
            return missing("an arm without a name", "name each arm");
        }
        if name.chars().count() > LONGEST_NAME || name.contains(char::is_control) {
            let text = format!(
                "the name {name:?} of an arm is not fit for a table; \
                 at most {LONGEST_NAME} characters on one line are"
            );
            return Err(Error::validation(text));
        }
        if experiment.arms[..at]
            .iter()
            .any(|other| other.name == *name)
        {
            return missing(
                &format!("two arms called `{name}`"),
                "call one of them otherwise",
            );
        }
    }
    Ok(())
}

/// How many runs the experiment has.
pub(super) fn planned(experiment: &Experiment) -> Option<usize> {
    let pairs = experiment.inputs.len().checked_mul(experiment.arms.len())?;
    pairs.checked_mul(experiment.trials)
}

/// The runs in the order in which they begin. The arms take turns at each input, so that the hour
/// and the load fall on all alike, and an experiment that is cut short has had as much of each.
/// Which is first is left to chance: the first may find a cold cache.
pub(super) fn jobs(experiment: &Experiment) -> impl Iterator<Item = Job> + use<> {
    let (trials, inputs) = (experiment.trials, experiment.inputs.len());
    let mut turns: Vec<usize> = (0..experiment.arms.len()).collect();
    let mut random = Random::new(experiment.seed);
    let blocks = (0..trials).flat_map(move |trial| (0..inputs).map(move |input| (trial, input)));
    blocks.flat_map(move |(trial, input)| {
        random.shuffle(&mut turns);
        let job = move |arm| Job { trial, input, arm };
        turns.clone().into_iter().map(job)
    })
}
