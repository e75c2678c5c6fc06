//! The rules of flows, as tables.

use super::*;

const PRIVATE: Effects = Effects::NONE.with(Effect::ReadsPrivate, true);
const UNTRUSTED: Effects = Effects::NONE.with(Effect::Untrusted, true);
const MAIL: Effects = PRIVATE.with(Effect::Untrusted, true);
const SENDS: Effects = Effects::NONE.with(Effect::Sends, true);
const NOTHING: Effects = Effects::NONE.with(Effect::Untrusted, false);

const fn tool(name: &'static str, effects: Effects) -> FlowTool<'static> {
    FlowTool {
        name,
        effects,
        is_inert: false,
        requires_approval: false,
    }
}

const READ_MAIL: FlowTool<'static> = tool("readMail", MAIL);
const READ_FILE: FlowTool<'static> = tool("readFile", PRIVATE);
const FETCH: FlowTool<'static> = tool("fetch", UNTRUSTED);
const SEND: FlowTool<'static> = tool("sendMail", SENDS);
const PLAIN: FlowTool<'static> = tool("add", NOTHING);
const UNKNOWN: FlowTool<'static> = tool("foo", Effects::NONE);

const fn inert(mut tool: FlowTool<'static>) -> FlowTool<'static> {
    tool.is_inert = true;
    tool
}

const fn approved(mut tool: FlowTool<'static>) -> FlowTool<'static> {
    tool.requires_approval = true;
    tool
}

const fn call(caller: usize, called: usize, has_params: bool, is_inert: bool) -> FlowCall {
    FlowCall {
        caller,
        called,
        has_params,
        is_inert,
    }
}

/// The `whenTainted` and the tools of an agent.
type Stated<'a> = (WhenTainted, &'a [FlowTool<'static>]);

/// The texts about the leaks of agents `a0`, `a1`, …, and whether they are open.
fn leaks(agents: &[Stated<'_>], calls: &[FlowCall]) -> Vec<(bool, String)> {
    let names: Vec<String> = (0..agents.len()).map(|at| format!("a{at}")).collect();
    let steps = steps_of(agents.len(), calls);
    let agents: Vec<FlowAgent<'_>> = agents
        .iter()
        .enumerate()
        .map(|(at, (when_tainted, tools))| FlowAgent {
            name: &names[at],
            tools,
            steps: &steps[at],
            when_tainted: *when_tainted,
            is_first: false,
        })
        .collect();
    let flows = flows_of(&agents);
    let leaks = (0..agents.len()).filter_map(|at| leak_of(&agents, &flows, at));
    leaks
        .map(|leak| (leak.is_open(), leak_text(&agents, &flows, &leak)))
        .collect()
}

const ALLOW: WhenTainted = WhenTainted::Allow;

#[test]
fn one_agent_leaks_if_its_tools_read_bring_words_and_send() {
    for (tools, is_open) in [
        (&[READ_MAIL, SEND][..], true),
        (&[READ_FILE, FETCH, SEND], true),
        (&[READ_FILE, SEND], false),
        (&[FETCH, SEND], false),
        (&[READ_MAIL, PLAIN], false),
        (&[inert(READ_MAIL), SEND], false),
        (&[inert(READ_MAIL), FETCH, SEND], true),
        (&[READ_MAIL, approved(SEND)], false),
        (&[UNKNOWN], true),
        (&[approved(UNKNOWN)], false),
        (&[READ_FILE, UNKNOWN], true),
    ] {
        let found = leaks(&[(ALLOW, tools)], &[]);
        assert_eq!(found.iter().any(|(open, _)| *open), is_open, "{tools:?}");
        for when in [WhenTainted::Approve, WhenTainted::Deny] {
            let found = leaks(&[(when, tools)], &[]);
            assert!(!found.iter().any(|(open, _)| *open), "{tools:?}");
        }
    }
}

#[test]
fn private_data_passes_results_of_all_types_and_calls_with_parameters() {
    let reads: &[FlowTool<'_>] = &[READ_FILE];
    let acts: &[FlowTool<'_>] = &[FETCH, SEND];
    for (caller, called, has_params, leaks_here) in [
        (acts, reads, false, true),
        (reads, acts, true, true),
        (reads, acts, false, false),
    ] {
        let found = leaks(
            &[(ALLOW, caller), (ALLOW, called)],
            &[call(0, 1, has_params, true)],
        );
        assert_eq!(!found.is_empty(), leaks_here, "{found:?}");
    }
}

#[test]
fn words_pass_results_with_words_and_all_calls() {
    let fetches: &[FlowTool<'_>] = &[FETCH];
    let acts: &[FlowTool<'_>] = &[READ_FILE, SEND];
    for (caller, called, is_inert, leaks_here) in [
        (acts, fetches, false, true),
        (acts, fetches, true, false),
        (fetches, acts, true, true),
    ] {
        let found = leaks(
            &[(ALLOW, caller), (ALLOW, called)],
            &[call(0, 1, false, is_inert)],
        );
        assert_eq!(!found.is_empty(), leaks_here, "{found:?}");
    }
}

#[test]
fn the_least_strict_chain_of_callers_decides() {
    let (approve, deny) = (WhenTainted::Approve, WhenTainted::Deny);
    let leaky: &[FlowTool<'_>] = &[READ_MAIL, SEND];
    let cases: [(&[Stated<'_>], &[FlowCall], bool); 6] = [
        // A strict caller makes the called agent strict.
        (
            &[(approve, &[]), (ALLOW, leaky)],
            &[call(0, 1, true, false)],
            false,
        ),
        // One of two callers is not strict.
        (
            &[(approve, &[]), (ALLOW, &[]), (ALLOW, leaky)],
            &[call(0, 2, true, false), call(1, 2, true, false)],
            true,
        ),
        // A strict agent on the only way.
        (
            &[(ALLOW, &[]), (deny, &[]), (ALLOW, leaky)],
            &[call(0, 1, true, false), call(1, 2, true, false)],
            false,
        ),
        // An agent that calls itself, and a circle below a strict agent.
        (&[(ALLOW, leaky)], &[call(0, 0, true, false)], true),
        (
            &[(deny, &[]), (ALLOW, leaky), (ALLOW, &[])],
            &[
                call(0, 1, true, false),
                call(1, 2, true, false),
                call(2, 1, true, false),
            ],
            false,
        ),
        // A circle that nobody calls: each of its agents can be the first one.
        (
            &[(deny, &[]), (ALLOW, leaky)],
            &[call(0, 1, true, false), call(1, 0, true, false)],
            true,
        ),
    ];
    for (agents, calls, is_open) in cases {
        let found = leaks(agents, calls);
        assert_eq!(found.iter().any(|(open, _)| *open), is_open, "{found:?}");
    }
}

#[test]
fn texts_name_the_ways_and_the_cuts() {
    let text = |agents: &[Stated<'_>], calls: &[FlowCall]| leaks(agents, calls).remove(0).1;
    assert_eq!(
        text(
            &[(ALLOW, &[SEND]), (ALLOW, &[READ_MAIL])],
            &[call(0, 1, true, false)]
        ),
        "private data and words of strangers come together in `a0`, whose tool `sendMail` sends: private data by \
         `readMail` → `a1`, words of strangers by `readMail` → `a1`; write `whenTainted: \"approve\"` in `a0`, or give \
         `a1` a result of a type without words"
    );
    assert_eq!(
        text(
            &[
                (ALLOW, &[READ_FILE]),
                (WhenTainted::Approve, &[FETCH, SEND])
            ],
            &[call(0, 1, true, false)]
        ),
        "private data and words of strangers come together in `a1`, whose tool `sendMail` sends: private data by \
         `readFile` → `a0`, words of strangers by `fetch`; `whenTainted: \"approve\"` closes it"
    );
    assert_eq!(
        text(&[(ALLOW, &[UNKNOWN, READ_FILE])], &[]),
        "private data and words of strangers come together in `a0`, whose tool `foo` sends: private data by `readFile`, \
         words of strangers by `foo`; write `whenTainted: \"approve\"` in `a0`, or let an agent read `foo` and answer \
         with a type without words; `foo` says nothing of its effects and counts as all of them: write `reads`, \
         `untrusted`, `sends` or `writes`"
    );
}

#[test]
fn destructive_tools_need_an_approval() {
    let destructive = tool("drop", NOTHING.with(Effect::Destructive, true));
    let read_only = tool("look", Effects::NONE.with(Effect::ReadOnly, true));
    for (tool, is_free) in [
        (destructive, true),
        (approved(destructive), false),
        (UNKNOWN, true),
        (approved(UNKNOWN), false),
        (read_only, false),
        (SEND, false),
    ] {
        assert_eq!(tool.destroys_freely(), is_free, "{tool:?}");
    }
    assert_eq!(
        destructive_text("a", &destructive),
        "`drop` of `a` does what cannot be undone, and nobody must approve its calls; write `requiresApproval: true`"
    );
    assert!(destructive_text("a", &UNKNOWN).contains("`foo` of `a` says nothing of its effects"));
}

/// The number of agents in a `const`.
const MANY: usize = 40;

/// The steps of agents of which each calls the next one, and the last one the first.
const fn ring() -> [[FlowStep; 2]; MANY] {
    let none = FlowStep {
        to: 0,
        is_call: false,
        has_private: true,
        has_words: true,
    };
    let mut steps = [[none; 2]; MANY];
    let mut at = 0;
    while at < MANY {
        let (next, last) = ((at + 1) % MANY, (at + MANY - 1) % MANY);
        steps[at][0].to = next;
        steps[at][0].is_call = true;
        steps[at][1].to = last;
        at += 1;
    }
    steps
}

const RING: [[FlowStep; 2]; MANY] = ring();

const AGENTS: [FlowAgent<'static>; MANY] = {
    let mut agents = [FlowAgent {
        name: "agent",
        tools: &[],
        steps: &[],
        when_tainted: WhenTainted::Allow,
        is_first: false,
    }; MANY];
    let mut at = 0;
    while at < MANY {
        agents[at].steps = &RING[at];
        at += 1;
    }
    agents[0].tools = &[READ_MAIL];
    agents[MANY / 2].tools = &[SEND];
    agents
};

const FLOWS: [AgentFlow; MANY] = flows(&AGENTS);

#[test]
fn a_const_decides_about_tens_of_agents() {
    const LEAK: Option<Leak> = leak_of(&AGENTS, &FLOWS, MANY / 2);
    let leak = LEAK.expect("a leak");
    assert_eq!(leak.steps, MANY);
    assert_eq!(
        chain_of(&FLOWS, leak.agent, FlowKind::Words).map(|chain| chain.agents.len()),
        Some(1 + MANY / 2)
    );
    assert!(std::panic::catch_unwind(|| check_leak(&AGENTS, &FLOWS, MANY / 2, 0, None)).is_err());
    check_leak(&AGENTS, &FLOWS, 0, 0, None);
}

#[test]
fn a_thousand_agents_that_call_each_other_take_little_time() {
    const COUNT: usize = 1_000;
    let calls: Vec<FlowCall> = (0..COUNT)
        .flat_map(|caller| (0..COUNT).map(move |called| call(caller, called, true, false)))
        .collect();
    let began = std::time::Instant::now();
    let mut agents = vec![(ALLOW, &[][..]); COUNT];
    agents[COUNT - 1].1 = &[READ_MAIL];
    agents[0].1 = &[SEND];
    assert_eq!(leaks(&agents, &calls).len(), 1);
    // A chain there and back has the longest ways.
    let calls: Vec<FlowCall> = (1..COUNT).map(|at| call(at - 1, at, true, false)).collect();
    assert_eq!(leaks(&agents, &calls).len(), 1);
    let taken = began.elapsed();
    // Without optimization, and beside other tests.
    assert!(taken.as_secs() < 5, "{taken:?}");
}
