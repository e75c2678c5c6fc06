"""Tests without a key."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic_ai import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UnexpectedModelBehavior,
    models,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.models.test import TestModel

from support import stream, support

models.ALLOW_MODEL_REQUESTS = False


def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("find_order", {"number": 17})])
    return ModelResponse(parts=[TextPart("It was sent on Monday.")])


def test_finds_the_order():
    with support.override(model=FunctionModel(reply)):
        result = support.run_sync("Where is order 17?")
    assert result.output == "It was sent on Monday."


def calls(tool: str, arguments: dict[str, object]) -> FunctionModel:
    """A model that makes one call, and then repeats its result."""

    def call(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart) and last.outcome != "retried":
            return ModelResponse(parts=[TextPart(str(last.content))])
        return ModelResponse(parts=[ToolCallPart(tool, arguments)])

    return FunctionModel(call)


@pytest.mark.parametrize("line, output", [("yes", "Order 17 is refunded."), ("no", "Not today.")])
def test_asks_before_a_refund(monkeypatch: pytest.MonkeyPatch, line: str, output: str):
    monkeypatch.setattr("builtins.input", lambda question: line)
    with support.override(model=calls("refund_order", {"number": 17})):
        assert support.run_sync("Refund order 17").output == output


def test_streams_the_answer(capsys: pytest.CaptureFixture[str]):
    async def parts(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        if len(messages) == 1:
            yield {0: DeltaToolCall("find_order", '{"number": 17}')}
        else:
            yield "It was sent "
            yield "on Monday."

    with support.override(model=FunctionModel(stream_function=parts)):
        asyncio.run(stream("Where is order 17?"))
    assert capsys.readouterr().out == "It was sent on Monday.\n"


@pytest.mark.parametrize(
    "tool, arguments",
    [("find_order", {"number": "seventeen"}), ("find_order", {"number": 18}), ("find_ordr", {"number": 17})],
)
def test_a_second_wrong_call_ends_the_run(tool: str, arguments: dict[str, object]):
    with support.override(model=calls(tool, arguments)):
        with pytest.raises(UnexpectedModelBehavior) as error:
            support.run_sync("Where is it?")
    assert f"Tool '{tool}' exceeded max retries count of 1" in str(error.value)


def test_the_test_model_makes_up_arguments():
    with support.override(model=TestModel(call_tools=["refund_order"])), pytest.MonkeyPatch.context() as patch:
        patch.setattr("builtins.input", lambda question: "yes")
        assert support.run_sync("Refund order 17").output == '{"refund_order":"Order 0 is refunded."}'
