//! Arms: their libraries, models and prices.

use crate::support::{GREETING, greeter, hello_tool, library};
use crate::{answering, asked, experiment, is_yes, talker, value, yes_and_no};
use agent_eval::{Arm, Experiment, Figure};
use agent_runtime::cost::{Price, Prices};
use agent_runtime::model::{ModelReply, Usage, UsagePart};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{AgentResponse, Error, Model, Runtime, agent};

#[tokio::test]
async fn runs_each_arm_with_each_input_per_trial() {
    let report = yes_and_no(3).trials(4).run(is_yes).await.expect("a report");
    assert_eq!((report.planned, report.trials.len()), (24, 24));
    assert!(report.is_complete());
    let runs: Vec<_> = report
        .trials
        .iter()
        .map(|it| (it.number, it.input, it.arm))
        .collect();
    let expected = (1..=4)
        .flat_map(|trial| (0..3).flat_map(move |input| (0..2).map(move |arm| (trial, input, arm))));
    assert_eq!(runs, expected.collect::<Vec<_>>());
    for (arm, success) in [("yes", 1.0), ("no", 0.0)] {
        assert_eq!(value(&report, arm, Figure::SuccessRate), Some(success));
        assert_eq!(report.arm(arm).expect("an arm").runs, 12);
    }
    let pair = report.comparison("no", "yes").expect("a pair");
    let difference = pair.difference(Figure::SuccessRate).expect("a difference");
    assert_eq!(difference.value, 1.0);
    assert!(difference.excludes_zero());
    let back = report.comparison("yes", "no").expect("the other way");
    assert_eq!(
        back.difference(Figure::SuccessRate)
            .expect("a difference")
            .value,
        -1.0
    );
    assert!(report.comparison("yes", "yes").is_none() && report.arm("maybe").is_none());
}

#[tokio::test]
async fn compares_arms_by_library() {
    let signature = "(personName::Text)==>(::String)";
    let nameless = ToolConfig::with_signature("sayHello", GREETING, signature);
    let nameless = nameless.build(|_| async { Ok("Hello!".into()) });
    let nameless = nameless.expect("a tool");
    let report = Experiment::new(greeter(), Runtime::offline())
        .expect("an agent")
        .arm(Arm::new("with").library(library([hello_tool()])))
        .arm(Arm::new("without").library(library([nameless])))
        .inputs(["Hello, I'm Ada", "Hello, I'm Grace"])
        .run(|input: &str, response: &AgentResponse| {
            let name = input.rsplit(' ').next().unwrap_or_default();
            response.content.contains(name)
        })
        .await
        .expect("a report");
    assert_eq!(value(&report, "with", Figure::SuccessRate), Some(1.0));
    assert_eq!(value(&report, "with", Figure::ToolCalls), Some(1.0));
    assert_eq!(value(&report, "without", Figure::SuccessRate), Some(0.0));
    assert_eq!(value(&report, "without", Figure::ErrorRate), Some(0.0));
}

#[tokio::test]
async fn binds_the_name_of_a_tool_to_the_spec_of_each_arms_library() {
    let agent = talker().with_reference("look").expect("a name");
    let runtime = answering(|request| Ok(ModelReply::text(request.tools[0].description())));
    let looking = |description| {
        let tool = ToolConfig::with_signature("look", description, "()==>(::Any)");
        library([tool.build(|_| async { Ok(1.into()) }).expect("a tool")])
    };
    let report = Experiment::new(agent, runtime)
        .expect("an agent")
        .arm(Arm::new("near").library(looking("Looks near.")))
        .arm(Arm::new("far").library(looking("Looks far.")))
        .inputs(["Where is it?"])
        .run(|_: &str, response: &AgentResponse| response.content == "Looks near.")
        .await
        .expect("a report");
    assert_eq!(value(&report, "near", Figure::SuccessRate), Some(1.0));
    assert_eq!(value(&report, "far", Figure::SuccessRate), Some(0.0));
}

#[tokio::test]
async fn compares_arms_by_model_at_its_price() {
    let runtime = answering(|request| {
        let usage = Usage::of_request(2_000_000, 1_000_000);
        Ok(ModelReply::text(request.model.id()).with_usage(usage))
    });
    let (small, large) = (
        Model::from_static("OpenAI", "small"),
        Model::from_static("OpenAI", "large"),
    );
    let price = |input, output| Price::per_million(input, output).expect("a price");
    let prices = Prices::new()
        .with(small.clone(), price(0.5, 1.0))
        .with(large.clone(), price(2.0, 8.0));
    let report = experiment(runtime)
        .arm(Arm::new("small").model(small))
        .arm(Arm::new("large").model(large))
        .arm(Arm::new("unpriced").model(Model::from_static("OpenAI", "other")))
        .prices(prices)
        .inputs(["a", "b"])
        .trials(2)
        .run(|_, response| response.content == "large")
        .await
        .expect("a report");
    assert_eq!(value(&report, "large", Figure::SuccessRate), Some(1.0));
    assert_eq!(value(&report, "small", Figure::Cost), Some(2.0));
    assert_eq!(value(&report, "large", Figure::Cost), Some(12.0));
    assert_eq!(report.arm("large").expect("an arm").cost, Some(48.0));
    assert_eq!(value(&report, "unpriced", Figure::Cost), None);
    assert_eq!(value(&report, "small", Figure::InputTokens), Some(2e6));
    assert_eq!(value(&report, "small", Figure::OutputTokens), Some(1e6));
    assert!(
        report
            .to_string()
            .contains("What unpriced cost is not known"),
        "{report}"
    );
    assert_eq!(report.comparisons.len(), 3);
}

#[tokio::test]
async fn uses_the_runtime_prices_if_the_experiment_has_none() {
    let model = agent_runtime::model::Scripted::new([
        ModelReply::text("Hi.").with_usage(Usage::of_request(1_000_000, 0))
    ]);
    let agent = talker();
    let price = Price::per_million(2.0, 0.0).expect("a price");
    let runtime = Runtime::builder()
        .model(model)
        .prices(Prices::new().with(agent.model().clone(), price))
        .build()
        .expect("a runtime");
    let report = Experiment::new(&agent, runtime)
        .expect("an agent")
        .arm(Arm::new("it"))
        .inputs(["a"])
        .run(|_, _| true)
        .await
        .expect("a report");
    assert_eq!(report.trials[0].cost, Some(2.0));
}

#[tokio::test]
async fn counts_the_cost_of_a_fallback_model_at_its_price() {
    let runtime = answering(|request| match request.model.id() {
        "first" => Err(Error::llm("overloaded").into_unavailable()),
        _ => Ok(ModelReply::text("Hi.").with_usage(Usage::of_request(1_000_000, 0))),
    });
    let (first, second) = (
        Model::from_static("OpenAI", "first"),
        Model::from_static("OpenAI", "second"),
    );
    let mut settings = talker().settings().clone();
    settings.fallback = vec![second.clone()].into();
    let agent = talker()
        .with_model(first.clone())
        .with_settings(settings)
        .expect("settings");
    let price = |input| Price::per_million(input, 0.0).expect("a price");
    let report = Experiment::new(&agent, runtime)
        .expect("an agent")
        .arm(Arm::new("it"))
        .prices(
            Prices::new()
                .with(first, price(5.0))
                .with(second.clone(), price(3.0)),
        )
        .inputs(["a"])
        .run(|_, _| true)
        .await
        .expect("a report");
    assert_eq!(
        report.trials[0].models,
        [(second, Usage::of_request(1_000_000, 0))]
    );
    assert_eq!(value(&report, "it", Figure::Cost), Some(3.0));
}

/// A provider may ask a second model for an answer, as Anthropic does for advice.
#[tokio::test]
async fn counts_the_tokens_of_a_second_model_in_one_answer_at_its_price() {
    let model = |id: &'static str| Model::from_static("Anthropic", id);
    let (own, other) = (model("small"), model("large"));
    let million = Usage::of_request(1_000_000, 0);
    let price = |dollars| Price::per_million(dollars, 0.0).expect("a price");
    let own_price = Prices::new().with(own.clone(), price(1.0));
    let both = own_price.clone().with(other.clone(), price(10.0));
    for (known, prices, cost) in [
        (None, &both, Some(11.0)),
        (Some(7.0), &both, Some(11.0)),
        (Some(7.0), &own_price, Some(8.0)),
        (None, &own_price, None),
    ] {
        let runtime = answering(move |_| {
            let mut sum = million;
            sum.add(&million);
            sum.requests = 1;
            let mut reply = ModelReply::text("Hi.").with_usage(sum);
            let mut advice = UsagePart::new(Some("large".to_owned()), million);
            advice.cost = known;
            reply.usage_parts = vec![UsagePart::new(None, million), advice];
            Ok(reply)
        });
        let report = Experiment::new(talker().with_model(own.clone()), runtime)
            .expect("an agent")
            .arm(Arm::new("it"))
            .prices(prices.clone())
            .inputs(["a"])
            .run(|_, _| true)
            .await
            .expect("a report");
        let trial = &report.trials[0];
        assert_eq!((trial.cost, trial.usage.requests), (cost, 1));
        assert_eq!(
            trial.models,
            [(own.clone(), million), (other.clone(), million)]
        );
    }
}

#[tokio::test]
async fn gives_no_intervals_for_one_input() {
    let report = yes_and_no(1).run(is_yes).await.expect("a report");
    for figure in Figure::ALL {
        let estimate = report.arm("yes").expect("an arm").figure(figure);
        assert_eq!(estimate.is_none(), figure == Figure::Cost, "{figure:?}");
        assert!(
            estimate.is_none_or(|estimate| estimate.interval.is_none()),
            "{figure:?}"
        );
    }
    assert!(
        report.to_string().contains("There are no intervals"),
        "{report}"
    );
}

#[tokio::test]
async fn counts_equal_inputs_as_trials_of_one_input() {
    let report = yes_and_no(0)
        .inputs(["a", "a"])
        .run(is_yes)
        .await
        .expect("a report");
    let success = report
        .arm("yes")
        .expect("an arm")
        .figure(Figure::SuccessRate);
    assert_eq!(success.expect("a figure").interval, None);
}

#[tokio::test]
async fn an_arm_has_an_agent_of_its_own_and_counts_the_agents_that_it_calls() {
    let desk = agent! {
        [desk:Agent {instruction: "Ask.", model: "Scripted/big"} |
            [clerk:Agent {description: "Answers", instruction: "Answer.", model: "Scripted/small"}]]
    };
    let runtime = answering(|request| {
        let usage = Usage::of_request(1_000, 100);
        let reply = match (request.agent.as_str(), request.messages.len()) {
            ("desk", 1) => ModelReply::call("clerk", r#"{"message": "Well?"}"#),
            ("clerk", _) => ModelReply::text("yes"),
            ("desk", _) => ModelReply::text(asked(request)),
            _ => ModelReply::text("no"),
        };
        Ok(reply.with_usage(usage))
    });
    let report = experiment(runtime)
        .arm(Arm::new("talker"))
        .arm(Arm::new("desk").agent(desk.clone()))
        .arm(
            Arm::new("dear desk")
                .agent(desk)
                .model(Model::parse("Scripted/huge").expect("a model")),
        )
        .inputs(["Is it so?"])
        .run(is_yes)
        .await
        .expect("a report");
    let rate = |arm: &str| value(&report, arm, Figure::SuccessRate);
    let rates = [rate("talker"), rate("desk"), rate("dear desk")];
    assert_eq!(rates, [Some(0.0), Some(1.0), Some(1.0)]);
    let models = |at: usize| -> Vec<(String, u64)> {
        let trial = report.trials.iter().find(|trial| trial.arm == at);
        let models = trial.expect("a run").models.iter();
        models
            .map(|(model, usage)| (model.to_string(), usage.input_tokens))
            .collect()
    };
    let used = |model: &str, tokens| (model.to_owned(), tokens);
    assert_eq!(
        models(1),
        [used("Scripted/big", 2_000), used("Scripted/small", 1_000)]
    );
    assert_eq!(
        models(2),
        [used("Scripted/huge", 2_000), used("Scripted/small", 1_000)]
    );
    let trial = report.trials.iter().find(|trial| trial.arm == 1);
    assert_eq!(trial.expect("a run").tool_calls, 1);
}
