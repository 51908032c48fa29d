// A change of a property as an edit of the text: the program says which bytes it means, and one undo takes it back.

import { isolateHistory } from "@codemirror/commands";
import type { EditorState, TransactionSpec } from "@codemirror/state";
import { asEngineError, engine, EngineError } from "../../ipc/engine";
import type { PropertyChange, PropertyInput, PropertyKind } from "../../ipc/types";
import { learn_properties } from "./known";

type Refused = (error: EngineError) => void;
let refused: Refused = () => {};

/** Sets who hears why a property could not be changed; the window does it once. */
export function on_property_refused(act: Refused): void {
  refused = act;
}

/** Somebody else may write while the program works a change out. */
const TRIES = 4;

/** A text that is open, on screen or not. */
export interface OpenText {
  readonly state: EditorState;
  dispatch: (spec: TransactionSpec) => void;
}

/** Changes that are being worked out: whoever saves waits for them. */
const under_way = new Set<Promise<boolean>>();

/** Takes what stands in the field that has the keyboard, and waits for every change to be in its text. */
export async function settle_properties(): Promise<void> {
  const { activeElement: active } = document;
  if (active?.closest(".cm-properties")) (active as HTMLElement & { take?: () => void }).take?.();
  await Promise.all(under_way);
}

/** Changes a property of a text; false if it could not be, and then the text is as it was. */
export function change_property(text: OpenText, change: PropertyChange): Promise<boolean> {
  const changed = work(text, change).finally(() => under_way.delete(changed));
  under_way.add(changed);
  return changed;
}

async function work(text: OpenText, change: PropertyChange): Promise<boolean> {
  if (text.state.readOnly) return false;
  try {
    for (let n = 0; n < TRIES; n++) {
      const { doc } = text.state;
      const edit = await engine.change_property(doc.toString(), change);
      if (text.state.doc !== doc) continue;
      if (edit.changes.length === 0) return true;
      const changes = text.state.changes(edit.changes);
      learn_properties(changes.apply(doc).toString(), edit.after);
      // The caret stays in the text, also where the first property comes above it.
      text.dispatch({ changes, selection: text.state.selection.map(changes, 1), annotations: isolateHistory.of("full"), userEvent: "property" });
      return true;
    }
    throw new EngineError("changed", "the note changes faster than its properties can", "wait a moment, then try again", true);
  } catch (cause) {
    refused(asEngineError(cause));
    return false;
  }
}

/** What a value becomes when a person chooses another kind for it. */
export function converted(values: string[], kind: PropertyKind): PropertyInput {
  const [first = ""] = values;
  switch (kind) {
    case "list":
      return values.length > 0 ? { kind: "list", to: values } : { kind: "empty" };
    case "number":
      return first.trim() !== "" && Number.isFinite(Number(first)) ? { kind: "number", to: first.trim() } : { kind: "empty" };
    case "checkbox":
      return { kind: "checkbox", to: /^(?:true|yes|1|x)$/i.test(first.trim()) };
    case "date":
      return typed(/^\d{4}-\d{2}-\d{2}/.exec(first)?.[0] ?? "", "date");
    case "date_time":
      return typed(/^\d{4}-\d{2}-\d{2}$/.test(first) ? `${first}T00:00:00` : (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?/.exec(first)?.[0] ?? ""), "date_time");
    default:
      return typed(values.join(", "), "text");
  }
}

/** What a person typed into the field of a kind. */
export function typed(text: string, kind: PropertyKind): PropertyInput {
  if (text.trim() === "") return { kind: "empty" };
  return kind === "number" ? { kind: "number", to: text.trim() } : { kind: "text", to: text };
}
