;; What a user of Emacs sees of an agent whose tool is misspelt, and of the file after it was mended.

;; Eglot asks before it changes files that are not open.
(defalias 'y-or-n-p (lambda (&rest _) t))

(defun eventually (what condition)
  "Wait until CONDITION holds, or end with WHAT did not happen."
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05)))
  (unless (funcall condition)
    (message "this did not happen: %s\n%s" what (buffer-string))
    (kill-emacs 1)))

(find-file "clock.gram")
(unless (eq major-mode 'gram-mode) (message "the mode is %s" major-mode) (kill-emacs 1))
(font-lock-ensure)
(goto-char (point-min))
(search-forward "Agent")
(unless (eq (get-text-property (1- (point)) 'face) 'font-lock-type-face)
  (message "a label has no colour")
  (kill-emacs 1))
;; What the hook does once a command has ended.
(apply #'eglot--connect (eglot--guess-contact))
(flymake-mode 1)
(eventually "a connection" #'eglot-managed-p)
(goto-char (point-max))
(search-backward "getTime")
(insert "x")
(eglot--signal-textDocument/didChange)
(flymake-start)
(eventually "a finding" (lambda () (flymake-diagnostics)))
(delete-char -1)
(eglot--signal-textDocument/didChange)
(flymake-start)
(eventually "no finding" (lambda () (not (flymake-diagnostics))))
(goto-char (point-max))
(search-backward "getTime")
(eglot-rename "now")
(eventually "the other name" (lambda () (save-excursion (goto-char (point-min)) (search-forward "\n  now\n" nil t))))
(with-current-buffer (find-file-noselect "tools.gram")
  (eventually "the other name of the definition"
              (lambda () (goto-char (point-min)) (looking-at "\\[now:Tool"))))
(insert "  ")
(eglot-format-buffer)
(eventually "the canonical layout"
            (lambda () (save-excursion (goto-char (point-min)) (search-forward "\n  now\n" nil t))))
(eglot-shutdown (eglot-current-server))
(kill-emacs 0)
