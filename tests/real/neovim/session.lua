-- What a user of Neovim sees of a folder with an agent and a file of tools. Ends with exit code 1 at the
-- first thing that is not as it should be.

local function fail(text)
  io.stderr:write(text .. '\n')
  vim.cmd('cquit 1')
end

local function eventually(what, condition)
  if not vim.wait(20000, condition, 20) then
    fail('this did not happen: ' .. what .. '\n' .. vim.inspect(vim.diagnostic.get()))
  end
end

local function equal(found, expected)
  if not vim.deep_equal(found, expected) then
    fail('found ' .. vim.inspect(found) .. ', expected ' .. vim.inspect(expected))
  end
end

local function lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end

local function place(text)
  local line = vim.fn.search(text, 'cw')
  if line == 0 then fail('there is no ' .. text) end
end

local function codes(buffer)
  return vim.tbl_map(function(found) return found.code end, vim.diagnostic.get(buffer))
end

-- Findings while typing.
vim.cmd.edit('clock.gram')
local clock = vim.api.nvim_get_current_buf()
equal(vim.bo.filetype, 'gram')
eventually('a client', function() return #vim.lsp.get_clients({ bufnr = clock }) == 1 end)
place('instruction')
vim.cmd('normal! x')
eventually('a finding', function() return #codes(clock) > 0 end)
equal(vim.diagnostic.get(clock)[1].source, 'agent')
vim.cmd('silent undo')
eventually('no finding', function() return #codes(clock) == 0 end)

-- What a tool is.
place('getTime$')
vim.lsp.buf.hover()
local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return table.concat(lines(vim.api.nvim_win_get_buf(window)), '\n')
    end
  end
end
eventually('a window about the tool', function()
  return (floating() or ''):find('Says what time it is', 1, true) ~= nil
end)

-- Its definition is in the other file.
vim.lsp.buf.definition()
eventually('the definition', function() return vim.fn.expand('%:t') == 'tools.gram' end)
local tools = vim.api.nvim_get_current_buf()
equal(vim.api.nvim_win_get_cursor(0), { 1, 1 })

-- Another name for it, in both.
vim.lsp.buf.rename('now')
eventually('the name in the other file', function()
  return table.concat(lines(clock), '\n'):find('\n  now\n', 1, true) ~= nil
end)
equal(lines(tools)[1], '[now:Tool {description: "Says what time it is"} |')
eventually('no finding', function() return #codes(clock) + #codes(tools) == 0 end)

-- The canonical layout.
vim.api.nvim_buf_set_lines(tools, 1, 2, false, { '(zone::Text   {default:"UTC"})==>(::String)' })
vim.lsp.buf.format()
equal(lines(tools)[2], '  (zone::Text {default: "UTC"})==>(::String)')

-- Colours, where a parser was installed.
if os.getenv('WITH_PARSER') then
  vim.cmd.buffer(clock)
  vim.treesitter.get_parser(clock, 'gram'):parse(true)
  local function captures(text)
    place(text)
    local row, column = unpack(vim.api.nvim_win_get_cursor(0))
    return vim.tbl_map(function(capture) return capture.capture end,
      vim.treesitter.get_captures_at_pos(clock, row - 1, column))
  end
  equal(vim.tbl_contains(captures('Agent'), 'type'), true)
  equal(vim.tbl_contains(captures('instruction'), 'property'), true)
  equal(vim.tbl_contains(captures('Say what'), 'string'), true)
  vim.api.nvim_buf_set_lines(clock, 0, -1, false, { '(a {b: ```md', '# Title', '```})' })
  vim.treesitter.get_parser(clock, 'gram'):parse(true)
  equal(vim.tbl_contains(captures('Title'), 'markup.heading.1'), true)
end
vim.cmd('qall!')
