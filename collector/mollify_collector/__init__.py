"""Collects the reports of many devices to a question, and estimates what the devices hold.

It never sees a private value: each device draws its report by the published spec, and the report is
private before it leaves.
"""
