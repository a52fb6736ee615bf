import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { dirname } from 'node:path';
import type { FullResult, Reporter, TestCase, TestResult } from 'playwright/types/testReporter';
import { ROW_ATTACHMENT, Row } from './row';
import { HEADING, lineOf, verdictOf } from './verdict';

/**
 * Prints each row when it is measured and the whole table at the end, and writes both with all samples to the
 * file that ENDCAP_BENCH_RESULTS names. A row over its budget is only marked; a run fails only when a row
 * could not be measured.
 */
export default class RowsReporter implements Reporter {
  readonly #rows: Array<Row & { verdict: string }> = [];
  readonly #failures: string[] = [];
  readonly #startedAt = new Date();

  printsToStdio(): boolean {
    return true;
  }

  onBegin(): void {
    console.log(HEADING);
  }

  onStdOut(chunk: string | Buffer): void {
    process.stdout.write(chunk);
  }

  onStdErr(chunk: string | Buffer): void {
    process.stderr.write(chunk);
  }

  onTestEnd(benchmark: TestCase, result: TestResult): void {
    for (const attachment of result.attachments) {
      if (attachment.name !== ROW_ATTACHMENT || !attachment.body) continue;
      const row = Row.parse(JSON.parse(attachment.body.toString()));
      this.#rows.push({ ...row, verdict: verdictOf(row) });
      console.log(lineOf(row));
    }
    if (result.status === 'passed' || result.status === 'skipped') return;
    const reasons = result.errors.map((error) => error.message ?? error.value ?? 'no reason given');
    this.#failures.push(benchmark.title);
    console.log(`${benchmark.title}: not measured (${result.status})\n${reasons.join('\n')}`);
  }

  onError(error: { message?: string; value?: string }): void {
    console.log(error.message ?? error.value ?? 'a benchmark could not be loaded');
  }

  onEnd(_result: FullResult): void {
    const over = this.#rows.filter((row) => row.verdict === 'over');
    if (over.length > 0) console.log(`\nover budget: ${over.map((row) => row.name).join('; ')}`);
    if (this.#failures.length > 0) console.log(`not measured: ${this.#failures.join('; ')}`);
    const file = process.env.ENDCAP_BENCH_RESULTS ?? 'out/bench.json';
    mkdirSync(dirname(file), { recursive: true });
    const machine = {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      kernel: release(),
      load: loadavg(),
    };
    const results = {
      startedAt: this.#startedAt.toISOString(),
      endedAt: new Date().toISOString(),
      machine,
      rows: this.#rows,
      notMeasured: this.#failures,
    };
    writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
  }
}
