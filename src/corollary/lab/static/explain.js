// What the numbers say, in sentences that change with them.
import { numeral } from "./page.js";

const times = (ratio) => Math.abs(ratio - 1) < 5e-4 ? "unchanged" : `${numeral(Number(ratio.toPrecision(2)))} times`;
const moved = (from, to) => from === to ? `${numeral(to)}, unchanged` : `${numeral(from)} → ${numeral(to)}${from && to / from > 0 ? ` (${times(to / from)})` : ""}`;

/** The deciding comparison of a result. */
function sides(result) {
  const at = Math.min(result.worst, result.predicted.length - 1, result.measured.length - 1);
  return at < 0 ? null : { at, predicted: Number(result.predicted[at]), measured: Number(result.measured[at].value), low: Number(result.measured[at].low), high: Number(result.measured[at].high) };
}

/** How the measured side stands to the predicted one. */
function stands(result) {
  const side = sides(result);
  if (!side || !Number.isFinite(side.predicted) || !Number.isFinite(side.measured)) return "";
  const { predicted, measured, low, high } = side, several = result.predicted.length > 1;
  const where = several ? (result.rows[side.at] ? `At “${result.rows[side.at]}”, the closest of ${result.predicted.length} comparisons, ` : `In the closest of ${result.predicted.length} comparisons, `) : "";
  const said = (text) => where ? where + text : text[0].toUpperCase() + text.slice(1);
  if (predicted === measured) return said("the two sides are equal.");
  const share = measured / predicted;
  if ((result.relation === "≤" || result.relation === "≥") && share > 0) {
    const far = result.relation === "≤" ? share : 1 / share;
    return far > 1 ? "" : said(`the measured value ${result.relation === "≤" ? `is ${numeral(Number((100 * far).toPrecision(2)))} % of the bound` : `is ${numeral(Number(share.toPrecision(2)))} times the bound`}.`);
  }
  if (low < high && low <= predicted && predicted <= high) return said(`the prediction is inside the confidence interval of the measurement, [${numeral(low)}, ${numeral(high)}].`);
  const off = Math.abs(measured - predicted) / Math.abs(predicted);
  return predicted && Number.isFinite(off) ? said(off < 1e-9 ? "the two sides agree up to rounding." : `the two sides differ by ${numeral(Number((100 * off).toPrecision(2)))} %.`) : "";
}

/** What has changed since the first run on this page. */
function changed(now, first) {
  const moves = Object.entries(now.parameters).filter(([k, v]) => String(v) !== String(first.parameters[k]));
  if (now.seed !== first.seed) moves.push(["seed", now.seed]);
  const a = sides(first), b = sides(now);
  if (!moves.length || !a || !b || now.predicted.length !== first.predicted.length) return "";
  const from = Number(first.predicted[b.at]), was = Number(first.measured[b.at].value);
  if (![from, was, b.predicted, b.measured].every(Number.isFinite)) return "";
  const list = moves.map(([k, v]) => `${k} ${k === "seed" ? first.seed : first.parameters[k]} → ${v}`).join(", ");
  return `Compared with the first run (${list}): predicted ${moved(from, b.predicted)}, measured ${moved(was, b.measured)}.`;
}

export const explained = (now, first) => [stands(now), first && first !== now ? changed(now, first) : ""].filter(Boolean);
