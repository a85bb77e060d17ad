"use strict";
(() => {
  const documents = new Map();
  const data = (svg) => {
    const id = svg.dataset.doc;
    if (!documents.has(id)) {
      documents.set(id, JSON.parse(document.getElementById("doc-" + id).textContent));
    }
    return documents.get(id);
  };
  // The stretch of a list of (.., length) that holds an interval.
  const find = (list, size, interval) => {
    let from = 0;
    for (let i = 0; i < list.length; i += size) {
      const to = from + list[i + size - 1];
      if (interval < to) return { at: i, from, to: to - 1 };
      from = to;
    }
    return null;
  };
  const when = (s) => (s.from === s.to ? s.from : s.from + " to " + s.to);
  const describe = (svg, row, interval) => {
    const d = data(svg);
    const question = Number(svg.dataset.first) + row;
    const phase = find(d.truth[question], 2, interval);
    if (!phase) return null;
    const lines = [d.questions[question], "interval " + interval];
    lines.push("truth: " + d.words[d.truth[question][phase.at]] + " (" + when(phase) + ")");
    const said = d.said[Number(svg.dataset.panel)][question];
    const stretch = said && find(said, 3, interval);
    if (stretch) {
      lines.push("said: " + d.words[said[stretch.at]] + " (" + when(stretch) + ")");
      lines.push(d.looks[said[stretch.at + 1]]);
    } else {
      lines.push("left out: an answer failed or is missing");
    }
    return lines;
  };
  const show = (svg, row, interval) => {
    const box = svg.viewBox.baseVal;
    row = Math.max(0, Math.min(box.height / 10 - 1, row));
    interval = Math.max(0, Math.min(box.width - 1, interval));
    const lines = describe(svg, row, interval);
    if (!lines) return;
    svg.dataset.row = row;
    svg.dataset.interval = interval;
    svg.querySelector("title").textContent = lines.join("\n");
    const here = svg.querySelector(".here");
    here.setAttribute("x", interval);
    here.setAttribute("y", row * 10);
    here.setAttribute("width", 1);
    const read = document.getElementById("read-" + svg.dataset.doc);
    read.textContent = data(svg).panels[svg.dataset.panel] + " · " + lines.join(" · ");
  };
  const at = (event) => {
    const svg = event.target.closest && event.target.closest("svg.heat");
    if (!svg) return;
    const frame = svg.getBoundingClientRect();
    const box = svg.viewBox.baseVal;
    const row = Math.floor(((event.clientY - frame.top) / frame.height) * (box.height / 10));
    const interval = Math.floor(((event.clientX - frame.left) / frame.width) * box.width);
    if (svg.dataset.row !== String(row) || svg.dataset.interval !== String(interval)) {
      show(svg, row, interval);
    }
  };
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  document.addEventListener("pointermove", at);
  document.addEventListener("click", at);
  document.addEventListener("keydown", (event) => {
    const svg = event.target.closest && event.target.closest("svg.heat");
    const step = steps[event.key];
    if (!svg || !step) return;
    event.preventDefault();
    const { row, interval } = svg.dataset;
    if (row === undefined) show(svg, 0, 0);
    else show(svg, Number(row) + step[0], Number(interval) + step[1]);
  });
})();
