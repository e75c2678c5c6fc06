"""Holds requests, kept as files, against the types that the vendors publish in their Python SDKs.

usage: validate.py FOLDER

FOLDER has a folder of JSON files for each provider. A member that a type does not know is a mistake:
the SDKs send such members on in silence, and it is the service that refuses them.
"""

import collections.abc
import json
import pathlib
import sys
import types
import typing

import pydantic
import typing_extensions


def strict(kind, seen):
    """The same type, in which typed dictionaries take no unknown members and iterables are lists:
    pydantic looks into an iterable only when somebody iterates over it, which nobody does here."""
    if typing_extensions.is_typeddict(kind):
        if kind not in seen:
            seen.add(kind)
            hints = typing_extensions.get_type_hints(kind, include_extras=True)
            kind.__annotations__ = {name: strict(hint, seen) for name, hint in hints.items()}
            # Files, which a JSON request does not hold, are types that pydantic does not know.
            kind.__pydantic_config__ = pydantic.ConfigDict(
                extra="forbid", arbitrary_types_allowed=True
            )
        return kind
    origin = typing_extensions.get_origin(kind)
    arguments = typing_extensions.get_args(kind)
    if origin is None or origin is typing.Literal:
        return kind
    if origin is typing.Annotated:
        # What stands beside the type tells the SDK how to send it, not what may stand there.
        return strict(arguments[0], seen)
    if origin is typing_extensions.Required or origin is typing_extensions.NotRequired:
        return origin[strict(arguments[0], seen)]
    if origin is typing.Union or origin is types.UnionType:
        return typing.Union[tuple(strict(argument, seen) for argument in arguments)]
    is_sequence = isinstance(origin, type) and origin.__name__ == "SequenceNotStr"
    if is_sequence or origin in (collections.abc.Iterable, collections.abc.Sequence, list):
        return typing.List[strict(arguments[0], seen)]
    if origin in (dict, collections.abc.Mapping):
        return typing.Dict[arguments[0], strict(arguments[1], seen)]
    return kind


def forbid(model, seen):
    """Makes a model, and those within it, refuse unknown members."""
    for base in [model, *model.__mro__]:
        if isinstance(base, type) and issubclass(base, pydantic.BaseModel) and base not in seen:
            seen.add(base)
            if base is not pydantic.BaseModel:
                base.model_config = {**base.model_config, "extra": "forbid"}
    for field in model.model_fields.values():
        for inner in inner_models(field.annotation):
            if inner not in seen:
                forbid(inner, seen)
    model.model_rebuild(force=True)


def inner_models(kind):
    if isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
        yield kind
    for argument in typing_extensions.get_args(kind):
        yield from inner_models(argument)


def openai():
    from openai.types.chat import completion_create_params as params

    plain = pydantic.TypeAdapter(strict(params.CompletionCreateParamsNonStreaming, set()))
    streamed = pydantic.TypeAdapter(strict(params.CompletionCreateParamsStreaming, set()))
    return by_member(plain, streamed)


def responses():
    from openai.types.responses import response_create_params as params

    plain = pydantic.TypeAdapter(strict(params.ResponseCreateParamsNonStreaming, set()))
    streamed = pydantic.TypeAdapter(strict(params.ResponseCreateParamsStreaming, set()))
    return by_member(plain, streamed)


def anthropic():
    from anthropic.types import message_create_params as params

    plain = pydantic.TypeAdapter(strict(params.MessageCreateParamsNonStreaming, set()))
    streamed = pydantic.TypeAdapter(strict(params.MessageCreateParamsStreaming, set()))
    fits = by_member(plain, streamed)

    def check(body, name):
        # The types are those of the version 2026-10-21, which has neither. The version 2023-06-01, which is sent, has
        # both, and the models up to 4.6 take them.
        if any(old in body["model"] for old in ("-4-5", "-4-6")):
            body = {key: value for key, value in body.items() if key not in ("temperature", "top_p")}
        fits(body, name)

    return check


def by_member(plain, streamed):
    """Both SDKs have a type for each way to ask, told apart by the member `stream`."""

    def check(body, _name):
        (streamed if body.get("stream") else plain).validate_python(body)

    return check


def google():
    from google.genai import types as genai

    # The SDK has no type of a whole request; these are the members that the service documents.
    class Request(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="forbid")
        contents: list[genai.Content]
        systemInstruction: genai.Content | None = None
        tools: list[genai.Tool] | None = None
        toolConfig: genai.ToolConfig | None = None
        generationConfig: genai.GenerationConfig | None = None

    forbid(Request, set())

    def check(body, _name):
        Request.model_validate(body)
        for content in body["contents"]:
            assert content["role"] in ("user", "model"), content["role"]
            assert content["parts"], "a content without parts"
        roles = [content["role"] for content in body["contents"]]
        assert roles[0] == "user", "the first content is not the user's"
        assert all(a != b for a, b in zip(roles, roles[1:])), f"roles do not alternate: {roles}"

    return check


def ollama():
    from ollama import _types as types_of_ollama

    # The schema of a tool's arguments is typed with a few words of JSON Schema, and the server leaves
    # others out in silence: so only its form is looked at.
    schema = types_of_ollama.Tool.Function.Parameters
    forbid(types_of_ollama.ChatRequest, {schema, schema.Property})

    def check(body, _name):
        types_of_ollama.ChatRequest.model_validate(body)
        # The request takes any object for a message; the type of a message is stricter.
        for message in body["messages"]:
            # The type has an object for an image, and writes it as the text in base64 that the server takes.
            images = [{"value": image} for image in message.get("images", [])]
            read = {**message, "images": images} if images else message
            written = types_of_ollama.Message.model_validate(read).model_dump()
            assert written["images"] == message.get("images"), written

    return check


CHECKS = {"openai": openai, "responses": responses, "anthropic": anthropic, "google": google, "ollama": ollama}


def spoiled(body):
    """The same request with a member that no vendor knows, at each place where one may stand."""
    if isinstance(body, dict):
        yield {**body, "noSuchMember": 1}
    key = next(key for key in ("messages", "contents", "input") if key in body)
    messages = body[key]
    yield {**body, key: [{**messages[0], "noSuchMember": 1}, *messages[1:]]}
    # A text would be a message of the user in the Responses API.
    yield {**body, key: 7}


def main():
    folder = pathlib.Path(sys.argv[1])
    passed, failed = 0, 0
    for provider, make in CHECKS.items():
        files = sorted((folder / provider).glob("*.json"))
        if not files:
            print(f"{provider}: there are no requests")
            failed += 1
            continue
        check, before = make(), (passed, failed)
        for file in files:
            body = json.loads(file.read_text())
            try:
                check(body, file.name)
                passed += 1
            except (pydantic.ValidationError, AssertionError) as error:
                failed += 1
                print(f"{provider}/{file.name}: {error}\n{json.dumps(body)[:2000]}")
            for wrong in spoiled(body):
                try:
                    check(wrong, file.name)
                except (pydantic.ValidationError, AssertionError, TypeError):
                    continue
                failed += 1
                print(f"{provider}/{file.name}: a wrong request was not found to be one")
        print(f"{provider}: {passed - before[0]} requests fit, {failed - before[1]} do not")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
