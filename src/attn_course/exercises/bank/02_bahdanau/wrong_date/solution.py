def wrong_date():
    ...  # return text, step, place
    return "6 September 1066", 1, 14
