// The engine's types. Their one source is Rust: `bindings.ts` is generated from it.

import type * as bound from "./bindings";

export type * from "./bindings";

/** The engine tells every field; that one may be absent is only how it reads a journal of an older version. */
export type Told<T> = T extends readonly [unknown, ...unknown[]] ? T : T extends (infer U)[] ? Told<U>[] : T extends object ? { [K in keyof T]-?: Told<T[K]> } : T;

export type AddedFile = Told<bound.AddedFile>;
export type Summary = Told<bound.Summary>;
export type OperationView = Told<bound.OperationView>;
export type Review = Told<bound.Review>;
export type Approval = Told<bound.Approval>;
export type WishPreview = Told<bound.WishPreview>;
export type Granted = Told<bound.Granted>;
export type Version = Told<bound.Version>;

/** What the engine tells, by name. */
export interface Events {
  notes_changed: bound.NotesChanged;
  operation_changed: bound.OperationChanged;
  indexing: bound.Indexing;
  health: bound.Health;
  look_changed: bound.LookChanged;
  flush_wanted: bound.FlushWanted;
  agents_changed: bound.AgentsChanged;
  vault_opened: bound.VaultOpened;
  settings_changed: bound.SettingsChanged;
  reports_changed: bound.ReportsChanged;
  command_wanted: bound.CommandWanted;
  review_wanted: bound.ReviewWanted;
  link_followed: bound.LinkFollowed;
  close_requested: bound.CloseRequested;
}
