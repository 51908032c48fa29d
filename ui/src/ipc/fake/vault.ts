// The notes of the in-memory vault: an expedition's field notes, small but with every shape that the window must paint.

const SURVEY = `---
tags:
  - field/ice
  - survey
season: 2026 autumn
related: "[[Moraine samples]]"
---

# Glacier survey

## Purpose

We measure how much ice the southern tongue lost since the last visit, and where the lost rock went.

## Stations

Twelve stations along two transects, read twice a day. Positions are in [[Route and camps#Camps]]; the stakes from last year were found at [[Kit list|all but two]] sites.

> [!info] Before you drill
> Check the firn temperature first, see [[Kit list#Probes]].

- [x] Level the base station
- [ ] Read stakes 7–12 before noon
- [ ] Photograph the snout from point C

### North transect

| Stake | Height (cm) | Loss (cm) |
| --- | ---: | ---: |
| N1 | 214 | 38 |
| N2 | 198 | 41 |
| N3 | 176 | 52 |

### South transect

The southern stakes stand closer together, because the surface is **rougher** there and a single reading says little. Read each one *three times* and keep the median.

## Old instruments

The old theodolite stays in camp two. Its offsets are still in the table below, so that last year’s angles can be compared.

1. Set the tripod on the marked plate.
2. Wait ten minutes; the metal must take the air’s temperature.
3. Read both faces and keep both numbers, then see [[#Old instruments|the offsets]].

\`\`\`python
def corrected(angle: float, offset: float) -> float:
    """The offset is in minutes of arc."""
    return angle - offset / 60
\`\`\`

## Findings

Ablation was stronger on the southern line than in any year since 2019, which fits the [[Moraine samples]].

### Ablation

==More than half a metre== on the lower stakes, against a mean of 0.31 m. The raw numbers are in \`data/2026/stakes.csv\`, the older ones at [the archive](https://example.org/archive).

### Moraine

The ridge has moved by two metres.[^1]

[^1]: Measured against the painted boulder, not against the cairn.

### Moraine

A second, lower ridge shows the same.

## Next season

Bring the long tape, read [[#Old instruments]] first, and see [[Open questions#Who paints the boulder]].
`;

const ROUTE = `# Route and camps

From the road head to the upper basin in three days, with two camps that stay up for the season.

## Camps

| Camp | Altitude | Water |
| --- | ---: | --- |
| One | 1,840 m | stream |
| Two | 2,310 m | melt |

## Days

1. Road head to camp one, six hours.
2. Camp one to camp two, over the [[Glacier survey#Stations|stations]] of the north transect.
3. Rest, or a load carry.

> [!warning] River
> The ford is closed after noon. Cross before ten or wait.

## Who to call

The hut keeper answers at seven in the evening. See [[Berit Solheim]].

## What stays up

Camp two keeps the theodolite ([[Glacier survey#Old instruments]]), its plate ([[Glacier survey#Old instruments|marked]]) and the spare tripod. Everything else comes down from [[#Camps]].
`;

const KIT = `# Kit list

## Probes

- Firn probe, 3 m
- Two spare thermistors
- The short drill
- The theodolite’s case, see [[Glacier survey#Old instruments]] and [[Glacier survey#Old instruments|the plate]]

## Ropes and metal

- 60 m of 8 mm
- Eight ice screws, sharpened

## Todo

- [ ] Dry the tents
- [x] Order batteries
`;

const MORAINE = `# Moraine samples

Nineteen samples from four ridges. Angles from [[Glacier survey#Old instruments]].

The first eight were read with the theodolite, see [[Glacier survey#Old instruments|its offsets]]; for the others [[Glacier survey#Old instruments]] says which face.

## Ridges

The outer ridge is the oldest; lichens on its boulders are wider than a hand.

## Lab

Sent on 14 October, results expected in the new year.
`;

const INDEX = `# Index

Where to begin.

- [[Glacier survey]], the main note of this season
- [[Route and camps]]
- [[Open questions]]
- [[People/Berit Solheim|Berit]], who knows the valley
`;

const INBOX = `# Inbox

- [ ] Ask for last year’s stake list
- [ ] Scan the two notebooks
`;

const QUESTIONS = `# Open questions

## Who paints the boulder

Nobody has, since 2023. See [[Glacier survey#Moraine]].

## Do we need a second base station
`;

const PEOPLE = ["Berit Solheim", "Anna Kowalska", "Jonas Lund", "Priya Raman", "Tomás Rivera", "Mei Watanabe"];
const READING = ["Ice in motion", "Field methods for cold places", "A history of the valley", "Stakes and what they tell", "Lichen clocks"];

/** Builds the vault anew: path to text. `n_daily` makes it as large as a test needs. */
export function field_notes(n_daily = 214): Map<string, string> {
  const notes = new Map<string, string>();
  for (let day = 0; day < n_daily; day++) {
    const date = new Date(Date.UTC(2026, 10, 30) - day * 86_400_000).toISOString().slice(0, 10);
    notes.set(`Daily/${date}.md`, `# ${date}\n\n- Read the stakes, see [[Glacier survey#Stations]]\n- Wind from the north, ${day % 9} m/s\n`);
  }
  notes.set("Expedition/Glacier survey.md", SURVEY);
  notes.set("Expedition/Kit list.md", KIT);
  notes.set("Expedition/Moraine samples.md", MORAINE);
  notes.set("Expedition/Route and camps.md", ROUTE);
  notes.set("Daily/2026-11-28.md", `# 2026-11-28\n\nSnow until noon.\n\n![[Glacier survey#Old instruments]]\n\nThen [[Glacier survey#Old instruments|both faces]] again, from [[Route and camps#Camps]].\n`);
  notes.set("Expedition/Season plan.canvas", '{\n  "nodes": [\n    { "id": "a", "type": "text", "text": "Calibrate: [[Glacier survey#Old instruments]]" }\n  ],\n  "edges": []\n}');
  for (const name of PEOPLE) notes.set(`People/${name}.md`, `# ${name}\n\nMet on the [[Route and camps]].\n`);
  for (let n = 1; n <= 32; n++) notes.set(`People/Visitors/Visitor ${String(n).padStart(2, "0")}.md`, `# Visitor ${n}\n`);
  for (const name of READING) notes.set(`Reading/${name}.md`, `# ${name}\n\n> A line worth keeping.\n`);
  for (let n = 1; n <= 121; n++) notes.set(`Reading/Papers/Paper ${String(n).padStart(3, "0")}.md`, `# Paper ${n}\n\nNotes while reading.\n`);
  for (let n = 1; n <= 9; n++) notes.set(`Templates/Template ${n}.md`, `# {{title}}\n`);
  notes.set("Index.md", INDEX);
  notes.set("Inbox.md", INBOX);
  notes.set("Open questions.md", QUESTIONS);
  return notes;
}
