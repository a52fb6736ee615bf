import { describe, expect, it } from 'vitest';
import { SetUpForm } from '../../shared/admin';
import {
  FIELD_STEPS,
  isApplicable,
  missingFields,
  stepFrom,
  stepOf,
  withField,
  withoutHidden,
} from './set-up-steps';
import { EMPTY_SET_UP_FORM } from './testing/empty-set-up-form';

const NOTHING_STORED = { clientSecret: false, apptoken: false, proxyPassword: false, pin: false };
const ALL = FIELD_STEPS.flat();

describe('the set-up', () => {
  it('asks for every field once', () => {
    expect([...ALL].sort()).toEqual(Object.keys(SetUpForm.shape).sort());
  });

  it('requires addresses and credentials, but no credentials without sign-in', () => {
    expect(missingFields(ALL, EMPTY_SET_UP_FORM, NOTHING_STORED)).toEqual([
      'baseUrl',
      'authUrl',
      'clientId',
      'clientSecret',
    ]);
    expect(missingFields(ALL, { ...EMPTY_SET_UP_FORM, authentication: 'none' }, NOTHING_STORED)).toEqual([
      'baseUrl',
    ]);
  });

  it('accepts a stored secret, and treats blanks as empty', () => {
    const form = { ...EMPTY_SET_UP_FORM, baseUrl: 'https://a', authUrl: ' ', clientId: 'c' };
    expect(missingFields(ALL, form, { ...NOTHING_STORED, clientSecret: true })).toEqual(['authUrl']);
  });

  it('omits questions that do not apply', () => {
    expect(isApplicable('zoneId', EMPTY_SET_UP_FORM)).toBe(false);
    expect(isApplicable('zoneId', { ...EMPTY_SET_UP_FORM, nativeUrl: 'https://n' })).toBe(true);
    expect(isApplicable('proxyPassword', { ...EMPTY_SET_UP_FORM, proxyUrl: 'system' })).toBe(false);
    expect(isApplicable('proxyPassword', { ...EMPTY_SET_UP_FORM, proxyUrl: 'http://p:3128' })).toBe(true);
    expect(isApplicable('clientId', { ...EMPTY_SET_UP_FORM, authentication: 'none' })).toBe(false);
  });

  it('shows and sends a whole account or nothing of it', () => {
    const typed: SetUpForm = {
      ...EMPTY_SET_UP_FORM,
      authentication: 'none',
      clientId: 'c',
      clientSecret: 's',
      projectId: 'p',
    };
    const account = ['clientId', 'clientSecret', 'projectId'] as const;
    expect(account.filter((field) => isApplicable(field, typed))).toEqual([]);
    expect(withoutHidden(typed)).toEqual({ ...EMPTY_SET_UP_FORM, authentication: 'none' });
    const whole = { ...typed, authUrl: 'https://auth' };
    expect(account.filter((field) => isApplicable(field, whole))).toEqual(account);
    expect(withoutHidden(whole)).toEqual(whole);
  });

  it('of a service without sign-in needs only its address on the first page, and has no page of credentials', () => {
    const form: SetUpForm = { ...EMPTY_SET_UP_FORM, baseUrl: 'https://a', authentication: 'none' };
    expect(FIELD_STEPS[0]).toContain('authentication');
    expect(missingFields(FIELD_STEPS[0] ?? [], form, NOTHING_STORED)).toEqual([]);
    expect([stepFrom(0, 1, form), stepFrom(2, -1, form), stepFrom(0, -1, form)]).toEqual([2, 0, -1]);
    expect([stepFrom(0, 1, EMPTY_SET_UP_FORM), stepFrom(2, -1, EMPTY_SET_UP_FORM)]).toEqual([1, 1]);
  });

  it('keeps the stored secret if a typed one is deleted again', () => {
    const typed = withField(EMPTY_SET_UP_FORM, 'clientSecret', 's3cret');
    expect(typed.clientSecret).toBe('s3cret');
    expect(withField(typed, 'clientSecret', '').clientSecret).toBeNull();
  });

  it('leads to the step of a problem', () => {
    expect(stepOf('clientId')).toBe(1);
    expect(stepOf('zoneId')).toBe(2);
    expect(stepOf('caFile')).toBe(0);
    expect(stepOf(null)).toBeNull();
  });
});
