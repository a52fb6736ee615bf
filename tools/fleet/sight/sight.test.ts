import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../../main/status/metric-list';
import { alertNames, alertRules, dashboards, PROMETHEUS_FOLDER, panelQueries } from './read-sight';

/** Labels that Prometheus itself and our scrape configuration add. */
const ADDED = ['instance', 'job', 'le'];

const texts = [
  { where: 'alerts.yml', text: alertRules() },
  { where: 'alerts.test.yml', text: readFileSync(`${PROMETHEUS_FOLDER}/alerts.test.yml`, 'utf8') },
  ...panelQueries(),
];

/** The metric that a name in a query is of; a histogram has three names. */
const metricOf = (name: string) =>
  METRICS.find(
    (metric) =>
      metric.name === name ||
      (metric.type === 'histogram' && name.replace(/_(bucket|sum|count)$/, '') === metric.name),
  );

describe('alert rules and dashboards', () => {
  it('use metrics and labels that a kiosk has', () => {
    const wrong = texts.flatMap(({ where, text }) =>
      [...text.matchAll(/\b(endcap_[a-z_]+)(?:\{([^}]*)\})?/g)].flatMap(([, name = '', matchers = '']) => {
        const metric = metricOf(name);
        if (!metric) return [`${where}: ${name}`];
        const asked = [...matchers.matchAll(/([a-z_]+)\s*[=!]/g)].map(([, label = '']) => label);
        const known: readonly string[] = [...metric.labels, ...ADDED];
        return asked.filter((label) => !known.includes(label)).map((label) => `${where}: ${name}{${label}}`);
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('find kiosks by the job that their targets name, whatever the job_name of each token', () => {
    const jobs = texts.flatMap(({ text }) => [...text.matchAll(/\bjob="([^"]*)"/g)].map(([, job]) => job));
    const targets: { readonly labels: { readonly job?: string } }[] = JSON.parse(
      readFileSync(`${PROMETHEUS_FOLDER}/targets/kiosks.json`, 'utf8'),
    );
    expect(new Set(jobs)).toEqual(new Set(targets.map(({ labels }) => labels.job)));
  });

  it('count no void play, unless they tell outcomes apart', () => {
    const wrong = texts
      .filter(({ where, text }) => where !== 'alerts.test.yml' && !text.includes('by (outcome)'))
      .flatMap(({ where, text }) =>
        [...text.matchAll(/endcap_plays_total(\{[^}]*\})?/g)]
          .filter(([, matchers = '']) => !matchers.includes('outcome'))
          .map(() => where),
      );
    expect(wrong).toEqual([]);
  });

  it('take dropped frames as a share of all frames', () => {
    const shares = texts.filter(({ text }) => /frames_dropped_total[^/]*\/[^/]*frames/.test(text));
    expect(shares.length).toBeGreaterThan(0);
    for (const { text } of shares)
      expect(text.split('/').at(-1)).toMatch(/frames_presented_total.*\+.*frames_dropped_total/);
  });

  it('are all tested and documented', () => {
    const tests = readFileSync(`${PROMETHEUS_FOLDER}/alerts.test.yml`, 'utf8');
    const page = readFileSync('docs/fleet.md', 'utf8');
    expect(alertNames().length).toBeGreaterThan(10);
    expect(alertNames().filter((name) => !tests.includes(`alertname: ${name}\n`))).toEqual([]);
    expect(alertNames().filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('have unique ids, a query in each panel, and no overlapping panels', () => {
    const boards = dashboards();
    expect(new Set(boards.map(({ board }) => board.uid)).size).toBe(boards.length);
    expect(panelQueries().filter(({ text }) => text === '')).toEqual([]);
    for (const { board } of boards) {
      const places = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
      );
      expect(new Set(places).size).toBe(places.length);
    }
  });
});
