"""The models of chapter 15, trained, changed and tested."""
