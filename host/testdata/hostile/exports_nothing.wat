;; A module that is no plugin at all.
;; want: load exports: function stratagem_abi_version is missing
(module
)
