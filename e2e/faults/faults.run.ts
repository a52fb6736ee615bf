import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { expect, test } from 'playwright/test';
import { faultDocument, type Machine, tableOf } from './fault-table';
import { DISK_FULL, FAULTS } from './faults';
import { type Fault, lineOf, type Outcome, runFault, violations } from './run-faults';
import { openScene, type Scene } from './scene';

const wanted = (process.env.ENDCAP_FAULTS ?? '').split(',');
const disk = process.env.ENDCAP_FAULTS_DISK ?? '';
const document = process.env.ENDCAP_FAULTS_DOCUMENT ?? '';
const isWanted = ({ name, group }: { name: string; group: string }) =>
  wanted.some((words) => `${group}: ${name}`.includes(words));

test('the table of faults', async () => {
  test.setTimeout(0);
  const outcomes: Outcome[] = [];
  const broken: string[] = [];
  const fault = async (each: Fault, scene: Scene) => {
    try {
      const outcome = await runFault(scene, each);
      outcomes.push(outcome);
      process.stderr.write(`${lineOf(outcome)}\n`);
    } catch (reason) {
      const said = `${each.name}: ${reason instanceof Error ? reason.message : String(reason)}`;
      broken.push(said);
      process.stderr.write(`${said}\n`);
    }
  };
  const scene = await openScene();
  const machine = await machineOf(scene);
  try {
    for (const each of FAULTS.filter(isWanted)) await fault(each, scene);
    broken.push(...scene.leaks().map((where) => `a secret is in ${where}`));
  } finally {
    await scene.close();
  }
  if (isWanted(DISK_FULL) && disk !== '') {
    const small = await openScene(disk);
    try {
      await fault(DISK_FULL, small);
    } finally {
      await small.close();
    }
  }
  const ran = outcomes.filter((outcome) => violations([outcome]).length === 0).map(lineOf);
  process.stdout.write(`\n${tableOf(ran)}\n\n`);
  if (document !== '') {
    const before = existsSync(document) ? readFileSync(document, 'utf8') : '';
    const order = [...FAULTS, DISK_FULL].map(({ name }) => name);
    writeFileSync(document, faultDocument(before, ran, order, machine));
  }
  expect([...broken, ...violations(outcomes)]).toEqual([]);
});

async function machineOf(scene: Scene): Promise<Machine> {
  const { app } = await scene.kiosk();
  const { compositing, size } = await app.evaluate(({ app: kiosk, screen }) => ({
    compositing: kiosk.getGPUFeatureStatus().gpu_compositing,
    size: screen.getPrimaryDisplay().size,
  }));
  return {
    cores: cpus().length,
    hasGraphics: compositing === 'enabled',
    display: `${size.width} × ${size.height}`,
  };
}
