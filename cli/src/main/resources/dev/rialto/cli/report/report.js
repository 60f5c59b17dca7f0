'use strict';
(() => {
  const root = document.documentElement;
  // A test, and whoever is asked for help, can read here what went wrong.
  addEventListener('error', e => { root.dataset.errors = (root.dataset.errors || '') + e.message + '\n'; });

  // --- Light and dark ---------------------------------------------------------------------------

  const store = (() => {
    // A page from a file may not be allowed to remember anything.
    try { return window.localStorage; } catch (e) { return null; }
  })();
  const redraws = [];
  function setTheme(theme) {
    if (theme === 'auto') delete root.dataset.theme; else root.dataset.theme = theme;
    for (const b of document.querySelectorAll('.theme button')) {
      b.setAttribute('aria-pressed', String(b.dataset.theme === theme));
    }
    redraws.forEach(draw => draw());
  }
  for (const b of document.querySelectorAll('.theme button')) {
    b.addEventListener('click', () => {
      setTheme(b.dataset.theme);
      if (store) store.setItem('rialto-theme', b.dataset.theme);
    });
  }
  setTheme(['light', 'dark'].find(t => store && t === store.getItem('rialto-theme')) || 'auto');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraws.forEach(draw => draw()));

  // --- Where the reader is ----------------------------------------------------------------------

  const links = new Map([...document.querySelectorAll('nav a')].map(a => [a.hash.slice(1), a]));
  const seen = new IntersectionObserver(entries => {
    for (const e of entries) {
      if (!e.isIntersecting) continue;
      links.forEach((a, id) => id === e.target.id
        ? a.setAttribute('aria-current', 'true') : a.removeAttribute('aria-current'));
    }
  }, {rootMargin: '-20% 0px -70% 0px'});
  document.querySelectorAll('section').forEach(s => seen.observe(s));

  // --- The timeline -----------------------------------------------------------------------------

  const source = document.getElementById('timeline-data');
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const texts = data.texts;
  const box = document.getElementById('timeline-view');
  const canvas = box.querySelector('canvas');
  const chosenText = box.querySelector('.chosen');
  const windowText = box.querySelector('.window');
  box.hidden = false;

  const STRIDE = 7, START = 0, LENGTH = 1, NAME = 2, KIND = 3, DETAIL = 4, BYTES = 5, COUNT = 6;
  const COLORS = {
    'Phase': '--k-phase', 'Exchange': '--k-exchange', 'Exchange Message': '--k-message',
    'Launch': '--k-launch', 'Transfer': '--k-transfer', 'Fill': '--k-transfer',
    'Collective': '--k-collective', 'Tuning': '--k-tuning', 'Trial': '--k-tuning',
  };
  const MEANINGS = {'Exchange Message': 'Waiting for a message'};
  const ROW = 18, LABEL = 18, HEAD = 24, RULER = 24, GAP = 6;
  const total = Math.max(...data.runs.map(r => r.length));

  // Every row of every track with its place; labels are drawn above tracks, so that narrow
  // screens lose no width to them.
  const rows = [], labels = [];
  let height = RULER;
  for (const run of data.runs) {
    if (data.runs.length > 1) {
      labels.push({y: height, text: run.label, head: true});
      height += HEAD;
    }
    for (const track of run.tracks) {
      const text = 'rank ' + track.rank + ' · ' + track.name;
      labels.push({y: height, text});
      height += LABEL;
      for (const slices of track.rows) {
        rows.push({y: height, slices, track: text, run: run.label});
        height += ROW;
      }
      height += GAP;
    }
  }

  let from = 0, to = total, chosen = null, row = 0;
  let width = 0, queued = false, palette = null;

  function time(micros) {
    const a = Math.abs(micros);
    const [v, u] = a >= 1e6 ? [micros / 1e6, 's'] : a >= 1e3 ? [micros / 1e3, 'ms']
      : a >= 1 || a === 0 ? [micros, 'µs'] : [micros * 1e3, 'ns'];
    return Number(v.toPrecision(4)) + ' ' + u;
  }
  function bytes(n) {
    let unit = 0;
    while (n >= 1024 && unit < 5) { n /= 1024; unit++; }
    return (unit ? n.toFixed(1) : n) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][unit];
  }
  /** The first slice of a row that ends after a time. Slices of a row do not overlap. */
  function firstAfter(slices, t) {
    let low = 0, high = slices.length / STRIDE;
    while (low < high) {
      const mid = (low + high) >> 1;
      const at = mid * STRIDE;
      if (slices[at + START] + slices[at + LENGTH] > t) high = mid; else low = mid + 1;
    }
    return low;
  }

  function colors() {
    const style = getComputedStyle(root);
    const value = name => style.getPropertyValue(name).trim();
    palette = {ink: value('--ink'), soft: value('--soft'), grid: value('--grid'), card: value('--card'),
      page: value('--page'), accent: value('--accent'), bar: value('--bar-ink')};
    palette.kinds = texts.map(t => value(COLORS[t] || '--k-other'));
    palette.font = '11px ' + style.getPropertyValue('font-family');
  }

  function draw() {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => { queued = false; paint(); });
  }
  redraws.push(() => { palette = null; draw(); });

  function paint() {
    if (!palette) { colors(); legend(); }
    const ratio = Math.min(devicePixelRatio || 1, 16000 / height);
    width = canvas.clientWidth;
    if (width === 0) return;
    canvas.style.height = height + 'px';
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const g = canvas.getContext('2d');
    g.scale(ratio, ratio);
    g.fillStyle = palette.card;
    g.fillRect(0, 0, width, height);
    g.font = '11px system-ui, sans-serif';
    g.textBaseline = 'middle';
    ruler(g);
    for (const l of labels) {
      g.fillStyle = l.head ? palette.ink : palette.soft;
      g.font = (l.head ? '600 13px' : '11px') + ' system-ui, sans-serif';
      g.fillText(l.text, 8, l.y + (l.head ? HEAD : LABEL) / 2);
    }
    g.font = '11px system-ui, sans-serif';
    for (const r of rows) paintRow(g, r);
    if (chosen) {
      const s = chosen.row.slices, at = chosen.at;
      const x = (s[at + START] - from) / (to - from) * width;
      const w = Math.max(2, s[at + LENGTH] / (to - from) * width);
      g.strokeStyle = palette.ink;
      g.lineWidth = 2;
      g.strokeRect(x, chosen.row.y + 1, w, ROW - 3);
    }
    windowText.textContent = time(from) + ' – ' + time(to);
  }

  function ruler(g) {
    const rough = (to - from) / Math.max(2, width / 110);
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = power * [1, 2, 5, 10].find(m => m * power >= rough);
    g.fillStyle = palette.soft;
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
      const x = Math.round((t - from) / (to - from) * width);
      g.fillStyle = palette.grid;
      g.fillRect(x, 0, 1, height);
      g.fillStyle = palette.soft;
      g.fillText(time(Math.abs(t) < step / 2 ? 0 : t), x + 4, RULER / 2);
    }
  }

  function paintRow(g, r) {
    const s = r.slices, scale = width / (to - from), last = s.length;
    let painted = -1;
    for (let at = firstAfter(s, from) * STRIDE; at < last && s[at + START] < to; at += STRIDE) {
      const left = (s[at + START] - from) * scale;
      const w = s[at + LENGTH] * scale;
      // What is narrower than a pixel is seen once for that pixel, however many there are.
      if (w < 1) {
        const pixel = Math.floor(left);
        if (pixel === painted) continue;
        painted = pixel;
        g.fillStyle = palette.kinds[s[at + KIND]];
        g.fillRect(pixel, r.y, 1, ROW - 2);
        continue;
      }
      const x = Math.max(-2, left);
      const visible = Math.min(width + 2, left + w) - x;
      g.fillStyle = palette.kinds[s[at + KIND]];
      g.fillRect(x, r.y, Math.max(1, visible - (w > 4 ? 1 : 0)), ROW - 2);
      if (visible > 34) {
        const from = Math.max(4, x + 4);
        const name = texts[s[at + NAME]] + (s[at + COUNT] > 1 ? ' × ' + s[at + COUNT] : '');
        const most = Math.floor((left + w - from - 4) / 5.6);
        if (most > 3) {
          g.fillStyle = palette.bar;
          g.fillText(name.length > most ? name.slice(0, most - 1) + '…' : name, from, r.y + ROW / 2 - 1);
        }
      }
    }
  }

  function legend() {
    const list = box.querySelector('.legend');
    list.textContent = '';
    const kinds = new Set();
    for (const r of rows) {
      for (let at = 0; at < r.slices.length; at += STRIDE) kinds.add(r.slices[at + KIND]);
    }
    for (const kind of kinds) {
      const item = document.createElement('li');
      const swatch = document.createElement('span');
      swatch.className = 'swatch';
      swatch.style.background = palette.kinds[kind];
      item.append(swatch, MEANINGS[texts[kind]] || texts[kind]);
      list.append(item);
    }
  }

  function show(a, b) {
    const length = Math.min(total, Math.max(total / 1e7, 0.01, b - a));
    const start = Math.min(Math.max(0, a), total - length);
    from = start;
    to = start + length;
    draw();
  }
  function zoom(factor, at) {
    const center = at === undefined ? (from + to) / 2 : at;
    show(center - (center - from) * factor, center + (to - center) * factor);
  }
  function move(part) { show(from + part * (to - from), to + part * (to - from)); }

  function choose(r, at) {
    chosen = {row: r, at};
    row = rows.indexOf(r);
    const s = r.slices;
    const start = s[at + START], length = s[at + LENGTH];
    if (start + length < from || start > to) {
      const half = (to - from) / 2;
      show(start + length / 2 - half, start + length / 2 + half);
    }
    const facts = [MEANINGS[texts[s[at + KIND]]] || texts[s[at + KIND]], r.track];
    if (data.runs.length > 1) facts.push(r.run);
    facts.push('at ' + time(start), time(length) + ' long');
    if (s[at + BYTES] > 0) facts.push(bytes(s[at + BYTES]));
    if (s[at + COUNT] > 1) facts.push('stands for ' + s[at + COUNT]);
    if (texts[s[at + DETAIL]]) facts.push(texts[s[at + DETAIL]]);
    const name = document.createElement('b');
    name.textContent = texts[s[at + NAME]];
    chosenText.replaceChildren(name, ' · ' + facts.join(' · '));
    draw();
  }
  function sliceAt(x, y) {
    const r = rows.find(each => y >= each.y && y < each.y + ROW);
    if (!r) return null;
    const t = from + x / width * (to - from), slack = 3 / width * (to - from);
    const at = firstAfter(r.slices, t - slack) * STRIDE;
    return at < r.slices.length && r.slices[at + START] <= t + slack ? {row: r, at} : null;
  }
  function step(by) {
    const r = rows[row];
    if (!r) return;
    let at;
    if (chosen && chosen.row === r) at = chosen.at + by * STRIDE;
    else at = firstAfter(r.slices, from) * STRIDE;
    if (at >= 0 && at < r.slices.length) choose(r, at);
  }
  function changeRow(by) {
    const before = row;
    row = Math.min(rows.length - 1, Math.max(0, chosen ? row + by : row));
    const r = rows[row];
    if (row === before && chosen) return;
    const middle = chosen ? chosen.row.slices[chosen.at + START] : from;
    const at = Math.min(firstAfter(r.slices, middle), r.slices.length / STRIDE - 1) * STRIDE;
    choose(r, at);
    const scroll = canvas.parentElement;
    if (r.y < scroll.scrollTop) scroll.scrollTop = r.y - LABEL;
    if (r.y + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = r.y + ROW - scroll.clientHeight;
  }

  const actions = {
    'in': () => zoom(0.5), 'out': () => zoom(2), 'left': () => move(-0.25), 'right': () => move(0.25),
    'all': () => show(0, total),
  };
  box.querySelectorAll('[data-do]').forEach(b => b.addEventListener('click', actions[b.dataset.do]));
  const keys = {
    '+': actions.in, '=': actions.in, '-': actions.out, '0': actions.all, 'Home': actions.all,
    'ArrowLeft': actions.left, 'ArrowRight': actions.right,
    'ArrowUp': () => changeRow(-1), 'ArrowDown': () => changeRow(1), ',': () => step(-1), '.': () => step(1),
  };
  canvas.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  });
  canvas.addEventListener('wheel', e => {
    if (e.ctrlKey || e.metaKey) zoom(Math.exp(e.deltaY * 0.004), from + e.offsetX / width * (to - from));
    else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) move(e.deltaX / width);
    else return;
    e.preventDefault();
  }, {passive: false});

  const pointers = new Map();
  let dragged = 0;
  canvas.addEventListener('pointerdown', e => {
    pointers.set(e.pointerId, e.offsetX);
    dragged = 0;
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener('pointermove', e => {
    if (!pointers.has(e.pointerId)) {
      const hit = sliceAt(e.offsetX, e.offsetY);
      canvas.title = hit ? texts[hit.row.slices[hit.at + NAME]] + ', ' + time(hit.row.slices[hit.at + LENGTH]) : '';
      return;
    }
    const before = [...pointers.values()];
    dragged += Math.abs(e.offsetX - pointers.get(e.pointerId));
    if (pointers.size === 1) move((pointers.get(e.pointerId) - e.offsetX) / width);
    pointers.set(e.pointerId, e.offsetX);
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()];
      const was = Math.max(8, Math.abs(before[0] - before[1])), is = Math.max(8, Math.abs(a - b));
      zoom(was / is, from + (a + b) / 2 / width * (to - from));
    }
  });
  const lift = e => {
    pointers.delete(e.pointerId);
    if (e.type !== 'pointerup' || dragged > 4) return;
    const hit = sliceAt(e.offsetX, e.offsetY);
    if (hit) choose(hit.row, hit.at);
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  new ResizeObserver(draw).observe(canvas.parentElement);
  draw();
})();
