import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SettingsError, settingsOf } from './settings.js';

describe('the settings of the MCP server', () => {
  it('are standard input and output, and this machine only, by default', () => {
    const settings = settingsOf([], {});
    assert.deepEqual([settings?.transport, settings?.host, settings?.asOf], ['stdio', '127.0.0.1', undefined]);
    assert.equal(settingsOf(['--help'], {}), undefined);
  });

  it('take a time in seconds or as a date', () => {
    const asOf = (text: string) => settingsOf([], { ALMANAC_AS_OF: text })?.asOf;
    assert.equal(asOf('1700000000'), 1_700_000_000);
    assert.equal(asOf('2023-11-14T22:13:20Z'), 1_700_000_000);
    assert.equal(asOf('2023-11-14'), 1_699_920_000);
  });

  // A typing error must not lead to a server without a fence.
  for (const text of ['', ' ', 'yesterday', '1700000000000', '-5', '4102444800']) {
    it(`refuse ALMANAC_AS_OF ${JSON.stringify(text)}`, () => {
      assert.throws(() => settingsOf([], { ALMANAC_AS_OF: text }), SettingsError);
    });
  }

  it('refuse unknown options and wrong ports', () => {
    assert.throws(() => settingsOf(['--htp'], {}), SettingsError);
    assert.throws(() => settingsOf(['--port', 'x'], {}), SettingsError);
    assert.throws(() => settingsOf(['--port', '70000'], {}), SettingsError);
    assert.equal(settingsOf(['--http', '--port', '0'], {})?.port, 0);
  });

  it('have further names of the server', () => {
    const settings = settingsOf([], { MCP_ALLOWED_HOSTS: 'mcp.example.com, other', MCP_ALLOWED_ORIGINS: '' });
    assert.deepEqual([settings?.allowedHosts, settings?.allowedOrigins], [['mcp.example.com', 'other'], []]);
  });
});
