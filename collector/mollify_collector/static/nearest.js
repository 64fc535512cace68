// Which of public sentences is nearest to what a person wrote. It runs on the device and asks for nothing. How well it
// finds does not touch privacy: whatever it finds, only a random report of it leaves.
//
// A text becomes its runs of three letters, written small and without accents. A run counts by how often the text has it,
// and by less if many of the public sentences have it. Two texts are as near as the cosine of their counts.

function* runs(text) {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  const letters = Array.from(` ${plain} `);
  for (let i = 0; i + 3 <= letters.length; ++i) yield letters.slice(i, i + 3).join("");
}

function counted(text) {
  const counts = new Map();
  for (const run of runs(text)) counts.set(run, (counts.get(run) ?? 0) + 1);
  return counts;
}

/** A function that finds the place and the nearness, from 0 to 1, of the sentence nearest to a text; -1 if none has a run of it. */
export function nearestOf(sentences) {
  const all = sentences.map(counted);
  const holders = new Map();
  for (const counts of all) for (const run of counts.keys()) holders.set(run, (holders.get(run) ?? 0) + 1);
  const weight = (run) => Math.log(1 + sentences.length / (holders.get(run) ?? 1));
  const length = (counts) => Math.sqrt([...counts].reduce((sum, [run, count]) => sum + (count * weight(run)) ** 2, 0));
  const lengths = all.map(length);
  return (text) => {
    const given = counted(text);
    const ofText = length(given);
    const found = { place: -1, nearness: 0 };
    all.forEach((counts, place) => {
      let shared = 0;
      for (const [run, count] of given) shared += count * (counts.get(run) ?? 0) * weight(run) ** 2;
      const nearness = shared === 0 ? 0 : shared / (ofText * lengths[place]);
      if (nearness > found.nearness) Object.assign(found, { place, nearness });
    });
    return found;
  };
}
