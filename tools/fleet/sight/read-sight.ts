import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the alert rules and configurations of Prometheus. */
export const PROMETHEUS_FOLDER = join(__dirname, '../prometheus');
const GRAFANA_FOLDER = join(__dirname, '../grafana');

export interface PanelQuery {
  /** `DASHBOARD: PANEL` */
  readonly where: string;
  readonly language: 'promql' | 'sql';
  readonly text: string;
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr?: string; readonly rawSql?: string }[];
  }[];
}

export const dashboards = (): { readonly file: string; readonly board: Dashboard }[] =>
  readdirSync(GRAFANA_FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, board: JSON.parse(readFileSync(join(GRAFANA_FOLDER, file), 'utf8')) }));

/** Every query of every dashboard. */
export function panelQueries(): PanelQuery[] {
  return dashboards().flatMap(({ file, board }) =>
    board.panels.flatMap(({ title, targets }) =>
      targets.map(({ expr, rawSql }): PanelQuery => {
        const language = rawSql === undefined ? 'promql' : 'sql';
        return { where: `${file}: ${title}`, language, text: rawSql ?? expr ?? '' };
      }),
    ),
  );
}

/** The text of the alert rules. */
export const alertRules = (): string => readFileSync(join(PROMETHEUS_FOLDER, 'alerts.yml'), 'utf8');

export const alertNames = (): string[] =>
  [...alertRules().matchAll(/- alert: (\w+)/g)].map(([, name]) => name ?? '');

/** Replaces the variables that Grafana would fill in. */
export const promqlOf = (text: string): string =>
  text.replaceAll('$__rate_interval', '10s').replaceAll('$instance', '.+');

export const sqlOf = (text: string, from: Date, to: Date): string =>
  text.replaceAll('$__fromTime', sqlTime(from)).replaceAll('$__toTime', sqlTime(to));

const sqlTime = (at: Date): string => `toDateTime(${Math.floor(at.getTime() / 1_000)})`;
