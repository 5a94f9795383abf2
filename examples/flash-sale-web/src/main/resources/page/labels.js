// Places the labels of a picture: no two overlap, and none is cut off.
import { svg } from './shapes.js';

const GAP = 6; // between labels, and from the begin of what a label names
const EDGE = 1; // from the edges of the picture
const widths = new Map();

function measure(picture, label, words) {
  const key = `${label.name} ${words}`;
  if (!widths.has(key)) {
    const probe = svg('text', { class: label.name }, words);
    picture.append(probe);
    const wide = probe.getComputedTextLength();
    probe.remove();
    if (!wide) {
      return 0; // the picture is not shown yet
    }
    widths.set(key, wide);
  }
  return widths.get(key);
}

/**
 * Shows labels in a picture, of which the part from left is visible.
 *
 * A label has its words, the class name of its text, and the stretch from .. to that it names. It stays within this
 * stretch, unless it is a "flag", which begins or ends there. One with "last" prefers its end. A "tick" has a fixed
 * place. The first labels in the list take precedence. A label without room has its short words instead, or none.
 */
export function showLabels(picture, labels, left, { width, y }) {
  const places = [];
  for (const label of labels) {
    for (const words of [label.words, label.short]) {
      const place = words && find(label, measure(picture, label, words), places, left, left + width);
      if (place) {
        places.push({ ...place, words, name: label.name });
        break;
      }
    }
  }
  const texts = [...picture.querySelectorAll('.labels text')];
  const group = picture.querySelector('.labels') ?? picture.appendChild(svg('g', { class: 'labels' }));
  texts.slice(places.length).forEach(each => each.remove());
  places.forEach((place, i) => {
    const element = texts[i] ?? group.appendChild(svg('text', { y }));
    const x = (place.from - left).toFixed(1);
    if (element.getAttribute('x') !== x) {
      element.setAttribute('x', x);
    }
    if (element.textContent !== place.words) {
      element.textContent = place.words;
    }
    if (element.getAttribute('class') !== place.name) {
      element.setAttribute('class', place.name);
    }
  });
}

function find(label, wide, places, left, right) {
  const first = Math.max(label.from, left);
  const last = Math.min(label.to, right);
  if (!wide || first > last) {
    return null; // not visible
  }
  const starts = label.tick ? [label.from] : [first + GAP, ...places.map(place => place.to + GAP), right - EDGE - wide];
  if (label.last) {
    starts.unshift(last - GAP - wide);
  }
  const from = starts.find(start => {
    const end = start + wide;
    return start >= left + EDGE && end <= right - EDGE
      && (label.tick || (label.flag ? start <= Math.max(last, first + GAP) && end >= first
          : start >= first && end <= last))
      && places.every(place => end + GAP <= place.from || start >= place.to + GAP);
  });
  return from === undefined ? null : { from, to: from + wide };
}
