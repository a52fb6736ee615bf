/** Keys whose values never reach a log, wherever they turn up (rule 23). */
const SECRET_KEY = /secret|token|authorization|password|pin/i;

/** One line of the log: the event, and its details as JSON with what stands under a secret's name blotted out. */
export function logLine(event: string, details?: Readonly<Record<string, unknown>>): string {
  return details && Object.keys(details).length > 0
    ? `${event} ${JSON.stringify(details, withoutSecrets)}`
    : event;
}

function withoutSecrets(key: string, value: unknown): unknown {
  if (SECRET_KEY.test(key) && typeof value === 'string') return '…';
  if (value instanceof Error) return { name: value.name, message: value.message };
  return value;
}
