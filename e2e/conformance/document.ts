import type { Area, Row } from './row';
import { AREAS, OPEN } from './rows';

const HEAD = `# Conformance

Use this page to see which test shows that the kiosk does what the interface of the ad service says: every field, value, window, parameter, type, rule and limit is a row. It is generated (\`npx vitest run e2e/conformance -u\`) from the rows in \`e2e/conformance/\`. A test checks that each test named here exists, and that no row is without one.`;

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
/** Formats text as code; the text may contain backticks. */
const code = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

function rowLine({ id, says, shownBy }: Row): string {
  const tests = shownBy.map(({ file, titles }) => `${code(file)}: ${titles.map(code).join('; ')}`);
  return `| ${code(id)} | ${cell(says)} | ${cell(tests.join('<br>'))} |`;
}

function section({ title, rows }: Area): string {
  const lines = rows.map(rowLine).join('\n');
  return `## ${title}\n\n| row | what it says | shown by |\n| --- | --- | --- |\n${lines}`;
}

/** The whole page, as it lies in `docs/conformance.md`. */
export function conformanceDocument(): string {
  const count = AREAS.reduce((sum, { rows }) => sum + rows.length, 0);
  const open = OPEN.length === 0 ? 'None.' : OPEN.map((each) => `- ${each}`).join('\n');
  return `${[HEAD, `${count} rows.`, ...AREAS.map(section), `## Open\n\n${open}`].join('\n\n')}\n`;
}
