import { beforeEach, describe, expect, it } from "vitest";
import { EngineError } from "../ipc/engine";
import { type Deed, deeds } from "./deeds.svelte";
import { toasts } from "./toasts.svelte";

let log: string[];

function deed(name: string, more: Partial<Deed> = {}): Deed {
  const turn = (way: string) => async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    log.push(`${way} ${name}`);
  };
  return { said: `Did ${name}`, before: `${name}, before`, after: `${name}, after`, operation: () => name, undo: turn("undo"), redo: turn("redo"), ...more };
}

const offered = () => toasts.list.map((toast) => `${toast.message} [${toast.action?.title}]`);

beforeEach(() => {
  log = [];
  toasts.list = [];
  deeds.reset();
});

describe("what a person did", () => {
  it("is taken back from the last to the first, and done again from the first to the last", async () => {
    deeds.did(deed("a"));
    deeds.did(deed("b"));
    // Pressed faster than it is done.
    const places = await Promise.all([deeds.undo(), deeds.undo(), deeds.undo(), deeds.redo(), deeds.redo(), deeds.redo()]);
    expect(log).toEqual(["undo b", "undo a", "redo a", "redo b"]);
    expect(places).toEqual(["b, before", "a, before", undefined, "a, after", "b, after", undefined]);
    expect(offered()).toEqual(["Did b [Undo]"]);
  });

  it("cannot be done again once something else was done", async () => {
    deeds.did(deed("a"));
    await deeds.undo();
    expect(offered()).toEqual(["Undone [Redo]"]);
    deeds.did(deed("b"));
    expect(deeds.next).toBeNull();
    expect(offered()).toEqual(["Did b [Undo]"]);
    await deeds.redo();
    expect(log).toEqual(["undo a"]);
  });

  it("stays as it is where it is refused, and can be tried again", async () => {
    let refuses = true;
    const undo = async () => {
      if (refuses) throw new EngineError("conflict", "notes changed since: `a.md`", "look at its history");
      log.push("undo a");
    };
    deeds.did(deed("a", { undo }));
    expect(await deeds.undo()).toBeUndefined();
    expect(toasts.list.at(-1)?.message).toBe("Notes changed since: “a.md”");
    refuses = false;
    await deeds.undo();
    expect(log).toEqual(["undo a"]);
  });

  it("is not offered any more when it was taken back elsewhere", () => {
    deeds.did(deed("a"));
    deeds.heard("a", "done");
    expect(deeds.last?.said).toBe("Did a");
    deeds.heard("a", "undone");
    expect(deeds.last).toBeNull();
    expect(offered()).toEqual([]);
  });
});
