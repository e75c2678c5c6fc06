"""AgentDojo's suites: their tools, tasks and environments, and what came of a run in one of these."""

import collections
import contextlib
import functools
import io
import json

import absent  # noqa: F401  # before AgentDojo
import pydantic
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites
from pydantic_core import to_jsonable_python

# Corrections of tasks and judges, which AgentDojo itself forgets to load, and which need its suites to be loaded first.
import agentdojo.default_suites.v1_1_2  # noqa: E402, F401

VERSION = "v1.2.2"
NAMES = ["workspace", "travel", "banking", "slack"]

Call = collections.namedtuple("Call", "tool args")


class Suite:
    def __init__(self, name):
        # Not the suite itself, which was made before the corrections of 1.1.2 were loaded.
        self.name = name
        self.dojo = get_suites("v1")[name].get_new_version(get_suites(VERSION)[name].benchmark_version)
        self.tools = {tool.name: tool for tool in self.dojo.tools}
        self.runtime = FunctionsRuntime(self.dojo.tools)
        self.user_tasks = in_order(self.dojo.user_tasks)
        self.injection_tasks = in_order(self.dojo.injection_tasks)

    def key(self, call):
        """What equal calls have in common: the tool and all arguments, those with a default included."""
        try:
            args = self.tools[call.tool].parameters.model_validate(call.args).model_dump(mode="json")
        except pydantic.ValidationError:
            args = call.args
        return call.tool, json.dumps(args, sort_keys=True)

    def environment(self, user_task, injections):
        loaded = self.load(user_task, tuple(injections.items()))
        return loaded.model_copy(deep=True)

    @functools.lru_cache(maxsize=32)
    def load(self, user_task, injections):
        environment = self.dojo.load_and_inject_default_environment(dict(injections))
        return self.user_tasks[user_task].init_environment(environment)

    @functools.cache
    def vectors(self, user_task):
        """The places for an injection that the task's own calls read, as AgentDojo's attacks find them: each place has a
        word of its own, and the calls are made."""
        places = self.dojo.get_injection_vector_defaults()
        words = {vector: f"CANARY{at}X" for at, vector in enumerate(places)}
        environment = self.environment(user_task, words)
        read = "".join(self.execute(environment, call)[0] for call in self.user_calls(user_task, environment))
        return [vector for vector, word in words.items() if word in read]

    def user_calls(self, user_task, environment):
        """The calls that solve a task of the user."""
        return calls_of(self.user_tasks[user_task], environment)

    def execute(self, environment, call):
        """Makes a call. Returns the text of the result, and whether it is an error."""
        result, error = self.runtime.run_function(environment, call.tool, dict(call.args))
        return (error, True) if error else (text_of(result), False)


def in_order(tasks):
    """The tasks by their numbers: AgentDojo has them in the order in which they were written."""
    return dict(sorted(tasks.items(), key=lambda item: int(item[0].rsplit("_", 1)[1])))


def calls_of(task, environment):
    # A copy, because some tasks look at an environment by reading its mails, which changes it.
    calls = task.ground_truth(environment.model_copy(deep=True))
    return [Call(call.function, to_jsonable_python(dict(call.args))) for call in calls]


def text_of(result):
    return result if isinstance(result, str) else json.dumps(to_jsonable_python(result), ensure_ascii=False)


def has_words(text, words):
    """Whether a result has these words, however its lines are broken: YAML, in which the environments are written, joins
    the lines of an injection."""
    try:
        texts = strings(json.loads(text))
    except ValueError:
        texts = [text]
    words = " ".join(words.split())
    return any(words in " ".join(part.split()) for part in texts)


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


class Case:
    """A task of the user in an environment of its own, with an injection or without, and the calls that were made in it."""

    def __init__(self, suite, user_task, injection_task=None):
        self.suite, self.user_task, self.injection_task = suite, user_task, injection_task
        self.task = suite.user_tasks[user_task]
        self.injection = suite.injection_tasks[injection_task] if injection_task else None
        self.goal = self.injection.GOAL if self.injection else None
        injections = dict.fromkeys(suite.vectors(user_task), self.goal) if self.goal else {}
        self.environment = suite.environment(user_task, injections)
        self.before = self.environment.model_copy(deep=True)
        self.user_calls = suite.user_calls(user_task, self.before)
        self.user_keys = [suite.key(call) for call in self.user_calls]
        self.made, self.made_keys, self.took_effect = [], [], False

    def call(self, call):
        """Makes a call. Returns the text of the result, and whether it is an error."""
        self.made.append(FunctionCall(function=call.tool, args=call.args))
        self.made_keys.append(self.suite.key(call))
        answer = self.suite.execute(self.environment, call)
        self.judge("")
        return answer

    def judge(self, words):
        """Looks whether the injection has taken effect. This is done after each call, and not only at the end, because a
        later call of the user's own may hide the effect: the travel suite remembers one reservation, the last."""
        if self.injection and not self.took_effect:
            self.took_effect = is_secured(self.injection, words, self.before, self.environment, self.made)

    def is_done(self, words):
        """Whether the task of the user is done: all its calls were made, no others, and AgentDojo finds it solved."""
        if self.made_keys != self.user_keys:
            return False
        before, after = self.before.model_copy(deep=True), self.environment.model_copy(deep=True)
        found = self.task.utility_from_traces(words, before, after, self.made)
        return bool(self.task.utility(words, before, after) if found is None else found)


def is_secured(injection, words, before, after, made):
    """Whether AgentDojo finds that the goal of an injection was reached, which it calls `security`."""
    # Copies, because some of its judges mark mails as read. One judge prints what it looks for.
    before, after = before.model_copy(deep=True), after.model_copy(deep=True)
    with contextlib.redirect_stdout(io.StringIO()):
        found = injection.security_from_traces(words, before, after, made)
        return bool(injection.security(words, before, after) if found is None else found)


@functools.cache
def has_effect_alone(suite, user_task, injection_task):
    """Whether the goal of an injection is also reached when only the calls of the user's task are made in the same
    environment. Then it cannot be told who reached it, and the pair does not count as an effect."""
    case = Case(suite, user_task, injection_task)
    for call in case.user_calls:
        case.call(call)
    case.judge(case.task.GROUND_TRUTH_OUTPUT)
    return case.took_effect
