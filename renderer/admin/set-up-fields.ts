import type { SetUpField, SetUpForm, SetUpPage } from '../../shared/admin';

/** The fields of the set-up in their order. */
export const PLAIN: readonly SetUpField[] = [
  ...(['baseUrl', 'authUrl', 'clientId', 'clientSecret', 'projectId'] as const),
  ...(['playerId', 'playerKey', 'nativeUrl', 'zoneId', 'apptoken'] as const),
];
/** Fields that only the networks of some stores need. */
export const ADVANCED: readonly SetUpField[] = ['proxyUrl', 'proxyUser', 'proxyPassword', 'caFile'];

const SECRETS = ['clientSecret', 'apptoken', 'proxyPassword'] as const;
export type SecretField = (typeof SECRETS)[number];

export function isSecret(field: SetUpField): field is SecretField {
  return SECRETS.some((secret) => secret === field);
}

/** Main wants a whole account as soon as there is a sign-in address. */
const wantsAccount = ({ authUrl }: SetUpForm) => authUrl.trim() !== '';

/** Whether a field applies: an account needs sign-in, token and zone native ads, proxy user and password a proxy. */
export function isApplicable(field: SetUpField, form: SetUpForm): boolean {
  switch (field) {
    case 'clientId':
    case 'clientSecret':
    case 'projectId':
      return wantsAccount(form);
    case 'apptoken':
    case 'zoneId':
      return form.nativeUrl.trim() !== '';
    case 'proxyUser':
    case 'proxyPassword':
      return !['', 'system'].includes(form.proxyUrl.trim());
    default:
      return true;
  }
}

/** What main is sent: without parts of an account that were typed before they did not apply. */
export const withoutHidden = (form: SetUpForm): SetUpForm =>
  wantsAccount(form) ? form : { ...form, clientId: '', clientSecret: null, projectId: '' };

/** The required fields that are empty. Main checks the values. */
export function missingFields(form: SetUpForm, has: SetUpPage['has']): readonly SetUpField[] {
  const account = wantsAccount(form) ? (['clientId', 'clientSecret'] as const) : [];
  const native = isApplicable('zoneId', form) ? (['zoneId', 'apptoken'] as const) : [];
  return (['baseUrl', ...account, ...native] as const).filter((field) =>
    isSecret(field) ? form[field] === null && !has[field] : form[field].trim() === '',
  );
}

/** The form after typing. An emptied secret becomes null, which keeps the stored one. */
export function withField(form: SetUpForm, field: SetUpField, value: string): SetUpForm {
  return { ...form, [field]: isSecret(field) && value === '' ? null : value };
}
